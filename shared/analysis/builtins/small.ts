import type { Argument } from '../plan/expand.ts';

/** A word that is the status of a command and nothing else: `$?`, or a variable that holds one. */
export function isStatus({ live, text }: Argument): boolean {
  return live === 'status' && /^\$(?:\?|[A-Za-z_][A-Za-z0-9_]*)$/.test(text);
}

/** `exit` with nothing or with a status. */
export function isSafeExit(args: readonly Argument[]): boolean {
  const [status] = args;
  if (status === undefined) return true;
  return (
    args.length === 1 &&
    (status.live === 'status'
      ? isStatus(status)
      : /^(?:[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])$/.test(status.text))
  );
}

/** `set` with options that only make a shell stop earlier or say what it does. */
export function isPlainSet(args: readonly Argument[], hasPipefail: boolean): boolean {
  if (args.length === 0) return false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === undefined || word.live !== null || !/^[-+][eux]*o?$/.test(word.text)) return false;
    if (word.text.length === 1) return false;
    if (!word.text.endsWith('o')) continue;
    const name = args[++at]?.text ?? '';
    if (!['errexit', 'nounset', 'pipefail', 'xtrace'].includes(name)) return false;
    if (name === 'pipefail' && !hasPipefail) return false;
  }
  return true;
}

/** Names to look up, without options. */
export function isSafeLookup(args: readonly Argument[]): boolean {
  return (
    args.length > 0 &&
    args.every(
      (arg) =>
        arg.live === null && /^[A-Za-z0-9_./+-]+$/.test(arg.text) && !arg.text.startsWith('-'),
    )
  );
}

/** `kill` on process numbers, which the program of that name does as well; jobs are the shell's. */
export function isSafeKill(args: readonly Argument[]): boolean {
  return (
    args.length > 0 && args.every((arg) => arg.live === null && /^-?[A-Za-z0-9]+$/.test(arg.text))
  );
}
