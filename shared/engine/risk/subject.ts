import type {
  Analysis,
  Assignment,
  CommandRequest,
  Executable,
  Span,
  Stage,
} from '../plan/types.ts';
import { recordOf } from '../programs/list.ts';
import { readNamed } from '../programs/named.ts';
import type { Reading } from '../programs/types.ts';
import { baseName } from '../rules/matching.ts';

/**
 * A rough reading of shell text of which no plan could be made: cut at every separator, words split
 * at blanks, quotes taken off. Good enough to warn; never to allow.
 */
function roughStages(
  text: string,
  around: { readonly home: string; readonly cwd: string },
): readonly RiskSubject[] {
  const subjects: RiskSubject[] = [];
  for (const match of text.matchAll(/[^;&|\n(){}`]+/g)) {
    const { words, writes } = wordsOf(match[0]);
    const first = words.findIndex((word) => !keywords.has(word) && !/^\w+=/.test(word));
    const written = words[first];
    if (written === undefined) continue;
    const name = known(baseName(written));
    const args = words.slice(first + 1);
    const start = match.index + (match[0].length - match[0].trimStart().length);
    subjects.push({
      name,
      args,
      reading: readNamed(name, args),
      builtin: false,
      cwd: around.cwd,
      home: around.home,
      writes,
      reads: [],
      assignments: words.slice(0, first).flatMap(assignmentOf),
      span: { start, end: match.index + match[0].trimEnd().length },
      piped: /[^|]\|$/.test(text.slice(0, match.index)),
    });
  }
  return subjects;
}

const keywords = new Set([
  'if',
  'then',
  'else',
  'elif',
  'do',
  'while',
  'until',
  '!',
  'time',
  'eval',
  'exec',
  'command',
  '$',
]);

function assignmentOf(word: string): readonly Assignment[] {
  const at = word.indexOf('=');
  return at < 0 ? [] : [{ name: word.slice(0, at), value: word.slice(at + 1) }];
}

function wordsOf(piece: string): {
  readonly words: readonly string[];
  readonly writes: readonly string[];
} {
  const words: string[] = [];
  const writes: string[] = [];
  let target = false;
  for (const [token] of piece.matchAll(/\d?>>?|\d?<|(?:"[^"]*"?|'[^']*'?|\\.|[^\s"'<>\\])+/g)) {
    if (/^\d?[<>]/.test(token)) target = token.includes('>');
    else {
      const word = token.replaceAll(/["'\\]/g, '');
      (target ? writes : words).push(word);
      target = false;
    }
  }
  return { words, writes };
}

/** One program with its words, as the checks look at it. */
export interface RiskSubject {
  /** Base name of the program: `rm`, `git`. */
  readonly name: string;
  readonly args: readonly string[];
  /** The arguments as the program takes them; null for a program without a record. */
  readonly reading: Reading | null;
  /** A builtin of the shell, which has no record. */
  readonly builtin: boolean;
  /** Null where it is not known; relative words then stay relative. */
  readonly cwd: string | null;
  readonly home: string;
  readonly writes: readonly string[];
  readonly reads: readonly string[];
  readonly assignments: readonly Assignment[];
  readonly span: Span | null;
  /** The program takes what another one writes. */
  readonly piped: boolean;
}

/** All programs of a command: stages, what they carry, and a rough reading where there is no plan. */
export function riskSubjects(
  analysis: Analysis,
  request: CommandRequest,
  home: string,
): readonly RiskSubject[] {
  const text = request.command ?? '';
  const around = { text, home, cwd: request.cwd };
  const stages = analysis.ok ? analysis.plan.stages : analysis.stages;
  const seen = stages.flatMap((stage) => fromStage(stage, around));
  return analysis.ok ? seen : [...seen, ...roughStages(text, around)];
}

interface Around {
  readonly text: string;
  readonly home: string;
}

function fromStage(stage: Stage, around: Around): readonly RiskSubject[] {
  const { executable, argv, cwd, writes, reads, assignments, span } = stage;
  const name = known(nameOf(executable));
  const subject: RiskSubject = {
    name,
    args: argv.slice(1),
    reading: executable.kind === 'builtin' ? null : readNamed(name, argv.slice(1), stage.globs),
    builtin: executable.kind === 'builtin',
    cwd,
    home: around.home,
    writes: executable.kind === 'tool' && executable.use === 'edit' ? [executable.target] : writes,
    reads,
    assignments,
    span,
    piped:
      span !== null &&
      /(?:^|[^|])\|&?\s*$/.test(around.text.slice(Math.max(0, span.start - 40), span.start)),
  };
  const carried = stage.carries.flatMap((inner) => fromStage(inner, around));
  const within = (inner: RiskSubject): RiskSubject => ({
    ...inner,
    span: inner.span ?? span,
    piped: inner.piped || subject.piped,
  });
  return [subject, ...carried.map(within)];
}

/** Where letters are not told apart `RM` is `rm`. */
function known(name: string): string {
  return recordOf(name) === null ? name.toLowerCase() : name;
}

/** A tool of an agent has the name of no program: what it is used on is what can be told of it. */
function nameOf(executable: Executable): string {
  if (executable.kind === 'tool') return '';
  return baseName(executable.kind === 'file' ? executable.path : executable.name);
}
