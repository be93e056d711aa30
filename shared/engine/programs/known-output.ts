import type { Command, CommandList, Redirect, Word } from '../parse/syntax.ts';
import { unquotedText } from '../parse/word.ts';
import { listedOutput } from './listed-output.ts';
import { parentOf } from '../plan/paths.ts';
import type { FileView } from '../plan/types.ts';

/** Numbers of `seq` that are written out; a loop takes no more rounds than this anyway. */
const mostNumbers = 256;

export interface Where {
  readonly cwd: string | null;
  /** An earlier part of the command may have changed what lies there. */
  readonly changed: boolean;
  readonly files: FileView;
  /** The path of the program that a name means here; null for none, and for a part of the shell. */
  readonly locate: (name: string) => string | null;
}

/**
 * What a substitution prints, where that is certain before it runs: the folder, the top of the
 * repository, numbers in a row, names of files. The rendering then holds the words, and nothing runs for
 * them. Null for everything else.
 */
export function knownOutput(list: CommandList, where: Where): string | null {
  return printedBy(partsOf(list), where);
}

/** The same for the parts of a pipeline. */
export function knownLines(commands: readonly Command[], where: Where): string | null {
  const parts = commands.map(wordsOf);
  return printedBy(parts.every((words) => words !== null) ? parts : null, where);
}

function printedBy(parts: readonly (readonly string[])[] | null, where: Where): string | null {
  const { cwd } = where;
  if (parts === null || cwd === null) return null;
  const [words = [], ...filters] = parts;
  return filters.reduce(filtered, ofWords(words, { ...where, cwd }));
}

function ofWords(
  words: readonly string[],
  { cwd, changed, files, locate }: Where & { readonly cwd: string },
): string | null {
  const [name, ...args] = words;
  if (name === 'pwd' && args.length === 0) return cwd;
  if (name === 'seq') return numbers(args);
  if (changed) return null;
  if (name === 'nproc' && args.length === 0) return processors(files);
  const asked = /^(?:which|command -v) ([\w.+-]+)$/.exec(words.join(' '))?.[1];
  if (asked !== undefined) return plainPath(locate(asked));
  const link = /^(?:readlink -f|realpath) (\/[\w./+-]+)$/.exec(words.join(' '))?.[1];
  if (link !== undefined) return plainPath(files.realPath(link));
  if (words.join(' ') === 'git rev-parse --show-toplevel') return topOf(cwd, files);
  return listedOutput(words, { cwd, files, top: () => topOf(cwd, files) });
}

/** A path that a shell takes for one word. */
function plainPath(path: string | null): string | null {
  return path !== null && /^\/[\w./+@-]+$/.test(path) ? path : null;
}

/** How many processors Linux has, as `nproc` counts them where nothing holds it down. */
function processors(files: FileView): string | null {
  const list = files.head('/proc/cpuinfo', 65_536);
  if (list === null) return null;
  const count = String.fromCharCode(...list).match(/^processor\t/gm)?.length ?? 0;
  return count === 0 ? null : String(count);
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
