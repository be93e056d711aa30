import type { Argument } from '../plan/expand.ts';

/** Shells whose `-c` text is read in their place. What runs is our reading of it, in our shell. */
export const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ash', 'ksh']);

export interface ShellCall {
  readonly text: string;
  /** A `set` command that does what the options did, or nothing. */
  readonly settings: string;
  readonly needsBash: boolean;
}

const settable: Readonly<Record<string, string>> = {
  errexit: 'set -e',
  nounset: 'set -u',
  xtrace: 'set -x',
  pipefail: 'set -o pipefail',
};

/**
 * A call of the form `sh [-leux] [-o NAME] -c TEXT`, or null for any other. A login shell (`-l`)
 * would read start files first; the text runs in the runner's environment instead.
 */
export function readShellCall(words: readonly Argument[]): ShellCall | null {
  const settings: string[] = [];
  let text: string | null = null;
  let command = false;
  for (let at = 1; at < words.length; at++) {
    const word = words[at];
    if (word === undefined || word.live !== null) return null;
    if (word.text === '--login' || word.text === '--norc' || word.text === '--noprofile') continue;
    if (!/^-[cleuxo]+$/.test(word.text)) {
      text = word.text;
      break;
    }
    for (const letter of word.text.slice(1)) {
      if (letter === 'c') command = true;
      else if (letter === 'o') {
        const name = words[++at];
        const setting = name === undefined || name.live !== null ? undefined : settable[name.text];
        if (setting === undefined) return null;
        settings.push(setting);
      } else if (letter !== 'l') settings.push(`set -${letter}`);
    }
  }
  if (!command || text === null || /^[-+]/.test(text)) return null;
  return {
    text,
    settings: settings.join('; '),
    needsBash: settings.includes('set -o pipefail'),
  };
}
