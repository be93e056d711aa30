import type { Argument } from '../../plan/expand.ts';
import { isInterpreter } from './interpreters.ts';
import {
  carriedWords,
  mayBecomeOption,
  never,
  open,
  pinned,
  type Carried,
  type Finding,
} from './judge.ts';

const running: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const writing: ReadonlySet<string> = new Set(['-fprint', '-fprint0', '-fprintf', '-fls']);

/** `find`, which runs, deletes or writes when an action of its expression says so. */
export function judgeFind(args: readonly Argument[]): Finding {
  const carries: Carried[] = [];
  let why: string | null = null;
  let codeFromNames = false;
  args.forEach(({ text }, index) => {
    if (running.has(text)) {
      why = `find ${text} runs a command for each file`;
      const inner = untilEnd(args.slice(index + 1));
      codeFromNames ||= inner.some((arg) => isInterpreter(arg.text)) && inner.some(hasNameInside);
      carries.push(...carriedWords(inner));
    } else if (text === '-delete') why ??= 'find -delete deletes each file that it finds';
    else if (writing.has(text)) why ??= `find ${text} writes a file`;
    else if (text === '-files0-from') why ??= 'find takes its starting points from a file';
  });
  if (codeFromNames) return never('find makes the names of files a part of code', carries);
  if (why !== null) return pinned(why, carries);
  return mayBecomeOption(args) ? pinned('the name of a file could be taken for an action') : open;
}

function hasNameInside({ text }: Argument): boolean {
  return text !== '{}' && text.includes('{}');
}

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
  return mayBecomeOption(args) ? pinned('the name of a file could be taken for an option') : open;
}
