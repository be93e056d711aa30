import type { Argument } from '../types.ts';
import { open, pinned, type Finding } from './judge.ts';

/** What an awk program cannot do without if it is to run, write or load something. */
const active = /system|getline|close|fflush|\||>|@|\binet\b/;

/** Programs longer than this are not looked through. */
const longestProgram = 1000;

/** `awk`, whose programs can run commands and write files. Those that cannot are plain filters. */
export function judgeAwk(args: readonly Argument[]): Finding {
  const why = 'an awk program can run commands and write files';
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    if (arg === undefined) break;
    const { text } = arg;
    if (text === '-F' || text === '-v') at++;
    else if (/^-[Fv]./.test(text) || /^--(?:field-separator|assign)=/.test(text)) continue;
    else if (text === '--version' || text === '-V') return open;
    else if (text.startsWith('-')) return pinned(why);
    else {
      if (text.length > longestProgram) return pinned(why);
      const harmless = text
        .replaceAll('||', ' ')
        .replaceAll(/(?<!\bprintf?\b[^;{}\n]*)(?!printf?\b)(\$?\b\w+|\))\s*>=?\s*-?[0-9.]+\b/g, '');
      return arg.live === null && !active.test(harmless) ? open : pinned(why);
    }
  }
  return open;
}
