import type { Command, CommandList, Redirect, Word } from '../parse/syntax.ts';
import { unquotedText } from '../parse/word.ts';
import { listedOutput } from './listed-output.ts';
import { parentOf } from '../plan/paths.ts';
import type { FileView } from '../plan/types.ts';

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
 * repository, numbers in a row, names of files. The rendering then holds the words, and nothing runs for
 * them. Null for everything else.
 */
export function knownOutput(list: CommandList, { cwd, changed, files }: Where): string | null {
  const parts = partsOf(list);
  if (parts === null || cwd === null) return null;
  const [words = [], ...filters] = parts;
  return filters.reduce(filtered, ofWords(words, { cwd, changed, files }));
}

function ofWords(
  words: readonly string[],
  { cwd, changed, files }: Where & { readonly cwd: string },
): string | null {
  const [name, ...args] = words;
  if (name === 'pwd' && args.length === 0) return cwd;
  if (name === 'seq') return numbers(args);
  if (changed) return null;
  if (words.join(' ') === 'git rev-parse --show-toplevel') return topOf(cwd, files);
  return listedOutput(words, { cwd, files, top: () => topOf(cwd, files) });
}

/** The words of each part of a single plain pipeline; null where it is more than that. */
function partsOf(list: CommandList): readonly (readonly string[])[] | null {
  const [item, more] = list;
  if (item === undefined || more !== undefined || item.joiner === '&') return null;
  const { commands, negated, timed, withErrors } = item.pipeline;
  if (negated || timed !== null || withErrors.includes(true)) return null;
  const parts = commands.map(wordsOf);
  return parts.every((words) => words !== null) ? parts : null;
}

function wordsOf(command: Command): readonly string[] | null {
  if (command.kind !== 'simple' || command.assignments.length > 0) return null;
  if (!command.redirects.every(dropsErrors)) return null;
  const words = command.words.map(textOf);
  return words.every((word) => word !== null) ? words : null;
}

/** `2>/dev/null` */
function dropsErrors(redirect: Redirect): boolean {
  if (redirect.kind === 'text' || redirect.descriptor !== 2) return false;
  return redirect.operator === '>' && unquotedText(redirect.target) === '/dev/null';
}

/** A word that is written out, quoted or not; null where the shell makes something else of it. */
function textOf({ pieces }: Word): string | null {
  const texts = pieces.map((piece) =>
    piece.kind === 'text' && (piece.quoted || !/[~{*?[]/.test(piece.text)) ? piece.text : null,
  );
  return texts.every((one) => one !== null) ? texts.join('') : null;
}

/** Lines that `head` and `sort` hand on; null where it is another program, or does more. */
function filtered(text: string | null, words: readonly string[]): string | null {
  if (text === null) return null;
  const lines = text === '' ? [] : text.split('\n');
  const line = words.join(' ');
  if (line === 'sort') return lines.toSorted().join('\n');
  if (line === 'sort -u') return [...new Set(lines)].toSorted().join('\n');
  const count = /^head(?: -n ?| -)([1-9]\d{0,3})$/.exec(line)?.[1];
  if (count !== undefined) return lines.slice(0, Number(count)).join('\n');
  return line === 'head' ? lines.slice(0, 10).join('\n') : null;
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
