import type { Argument } from '../types.ts';
import { carriedWords, open, pinned, type Finding } from './judge.ts';

function untilEnd(args: readonly Argument[]): readonly Argument[] {
  const end = args.findIndex(
    (arg, index) => arg.text === ';' || (arg.text === '+' && args[index - 1]?.text === '{}'),
  );
  return end === -1 ? args : args.slice(0, end);
}

/** `fd`, which runs a command for each file with -x or -X. */
export function judgeFd(args: readonly Argument[]): Finding {
  const at = args.findIndex(({ text }) => /^(?:-[HILRaAsigplu0F1qhV]*[xX]|--exec)/.test(text));
  if (at !== -1)
    return pinned('fd runs a command for each file', carriedWords(untilEnd(args.slice(at + 1))));
  return open;
}
