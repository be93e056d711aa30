import type { Argument } from '../../plan/expand.ts';
import { isRiskyLong } from './option-risks.ts';
import { mayBecomeOption, open, pinned, type Finding } from './judge.ts';

const address = String.raw`(?:[0-9]+|\$|/(?:[^/\\\n]|\\.)*/I?)`;
const range = String.raw`(?:${address}(?:[ \t]*,[ \t]*(?:${address}|[+~][0-9]+))?[ \t]*!?[ \t]*)?`;
const substitution = ['/', '|', '#', ',', ':', '@', '!', '%', '~']
  .map((mark) => {
    const body = String.raw`(?:[^${mark}\\\n]|\\.)*`;
    const escaped = mark === '|' ? '\\|' : mark;
    return `s${escaped}${body}${escaped}${body}${escaped}[gpiIm0-9]*`;
  })
  .join('|');
const command = String.raw`(?:[pdqnDPNgGhHxl=]|[qQ][0-9]+|${substitution}|y/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/)?`;

/** Commands that print, delete and replace; nothing that runs (`e`), reads or writes (`r`, `w`). */
const harmless = new RegExp(
  String.raw`^[ \t]*${range}${command}[ \t]*(?:[;\n][ \t]*${range}${command}[ \t]*)*$`,
  's',
);

/** Scripts longer than this are not looked through. */
const longestScript = 1000;

/** `sed`, whose scripts can run commands and write files. Those that cannot are plain filters. */
export function judgeSed(args: readonly Argument[]): Finding {
  const why = 'a sed script can run commands and write files';
  if (mayBecomeOption(args)) return pinned('the name of a file could be taken for an option');
  if (args.some((arg) => arg.text === '--sandbox')) return open;
  const scripts: (string | undefined)[] = [];
  let first: Argument | undefined;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    if (arg === undefined) break;
    const { text } = arg;
    if (/^--l[a-z-]*$/.test(text)) at++;
    else if (text.startsWith('--')) {
      if (isRiskyLong(text, { why, long: ['file', 'expression'], fine: ['follow-symlinks'] })) {
        if (!text.startsWith('--expression=')) return pinned(why);
        scripts.push(text.slice('--expression='.length));
      }
    } else if (text.startsWith('-') && text !== '-') {
      const expression = /^-[nErsuz]*e(.*)$/s.exec(text);
      if (expression !== null)
        scripts.push(expression[1] === '' ? args[++at]?.text : expression[1]);
      else if (/^-[nErsuz]*f/.test(text)) return pinned(why);
      else if (/^-[nErsuz]*l$/.test(text)) at++;
      else if (/^-[nErsuz]*l/.test(text)) return pinned(why);
    } else first ??= arg;
  }
  if (scripts.length === 0 && first !== undefined) scripts.push(first.text);
  const live = args.some((arg) => arg.live !== null && arg === first);
  const plain = scripts.every(
    (script) => script !== undefined && script.length <= longestScript && harmless.test(script),
  );
  return plain && !live ? open : pinned(why);
}
