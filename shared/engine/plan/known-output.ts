import type { CommandList } from '../parse/syntax.ts';
import { unquotedText } from '../parse/word.ts';
import { parentOf } from './paths.ts';
import type { FileView } from './types.ts';

/** Numbers of `seq` that are written out; a loop takes no more rounds than this anyway. */
const mostNumbers = 256;

interface Where {
  readonly cwd: string | null;
  /** An earlier part of the command may have changed what lies there. */
  readonly changed: boolean;
  readonly files: FileView;
}

/**
 * What a substitution prints, where that is certain before it runs: the folder, the top of the
 * repository, numbers in a row. The rendering then holds the words, and nothing runs for them. Null for
 * everything else.
 */
export function knownOutput(list: CommandList, { cwd, changed, files }: Where): string | null {
  const words = wordsOf(list);
  if (words === null || cwd === null) return null;
  const [name, ...args] = words;
  if (name === 'pwd' && args.length === 0) return cwd;
  if (name === 'seq') return numbers(args);
  const isTop = words.join(' ') === 'git rev-parse --show-toplevel';
  return isTop && !changed ? topOf(cwd, files) : null;
}

/** The words of a single plain command; null where it is more than that. */
function wordsOf(list: CommandList): readonly string[] | null {
  const [item, more] = list;
  if (item === undefined || more !== undefined || item.joiner === '&') return null;
  const { commands, negated, timed } = item.pipeline;
  const [command, next] = commands;
  if (command?.kind !== 'simple' || next !== undefined || negated || timed !== null) return null;
  if (command.assignments.length > 0 || command.redirects.length > 0) return null;
  const words = command.words.map(unquotedText);
  return words.every((word) => word !== null) ? words : null;
}

function numbers(args: readonly string[]): string | null {
  if (!args.every((one) => /^(?:0|[1-9]\d{0,5})$/.test(one))) return null;
  const [one, other] = args.map(Number);
  if (one === undefined || args.length > 2) return null;
  const [from, to] = other === undefined ? [1, one] : [one, other];
  if (to < from || to - from >= mostNumbers) return null;
  return Array.from({ length: to - from + 1 }, (_, at) => String(from + at)).join('\n');
}

/** The folder with the repository around a folder; null in one that says otherwise, or in none. */
function topOf(cwd: string, files: FileView): string | null {
  if (/\/\.git(?:\/|$)/.test(cwd)) return null;
  for (let folder = cwd; folder !== '/'; folder = parentOf(folder)) {
    const facts = files.facts(`${folder}/.git`);
    if (facts === null) continue;
    if (facts.kind !== 'directory') return null;
    const config = files.head(`${folder}/.git/config`, 65_536);
    const text = config === null ? '' : String.fromCharCode(...config.subarray(0, 65_536));
    return config === null || config.length >= 65_536 || /worktree|include/i.test(text)
      ? null
      : folder;
  }
  return null;
}
