import { s } from '../../base/index.ts';
import type { Static } from '../../base/index.ts';

/** What a clause is about; each language has its own words for them. */
export const clauseKinds = [
  /** What Git does on this machine alone. */
  'local-git',
  /** A use of a tool of the agent: on `of`, on files in `of` and below, in `of`, at a site, of a server. */
  'tool',
  'files-below',
  'files-in',
  'site',
  'server',
  /** Any script that the file `of` has now: `names`. */
  'scripts',
  /** All that a program does where it only reads. */
  'reads',
  'any-arguments',
  /** The words of `of` with any further arguments. */
  'further-arguments',
  /** Exactly `of`, and `of` with other files in the places of `words`. */
  'exact',
  'other-files',
] as const;

const text = s.string();
const texts = s.array(text, { maxItems: 1_000 });

/** A word of a command that a rule leaves open, or one that it holds. */
const clauseWord = s.object({
  text,
  /** Any file: of the folder `text`, or below the folder of the command. Absent: this very word. */
  any: s.optional(s.oneOf(['in', 'below'])),
});

/** What one rule of a proposal would allow, taken apart, so that each language can say it. */
export const clauseSchema = s.object({
  kind: s.oneOf(clauseKinds),
  /** Program or tool, as a person knows it. */
  name: text,
  of: s.optional(text),
  names: s.optional(texts),
  words: s.optional(s.array(clauseWord, { maxItems: 20_000 })),
  env: s.optional(texts),
  /** Folder that it holds in, and whether also below it. */
  cwd: s.optional(text),
  below: s.optional(s.boolean()),
  writes: s.optional(texts),
  /** File whose content has to stay; empty for the program itself. */
  content: s.optional(text),
  /** Files that have to stay as they are. */
  files: s.optional(texts),
  /** Lines of code that it holds to. */
  lines: s.optional(s.integer({ minimum: 0 })),
  sameScript: s.optional(s.boolean()),
  unlessRisky: s.optional(s.boolean()),
});
export type Clause = Static<typeof clauseSchema>;

/** The sentence of a proposal in English. */
export function sentenceOf(clauses: readonly Clause[]): string {
  return `Allow ${[...new Set(clauses.map(english))].join('; and ')}.`;
}

function english(clause: Clause): string {
  const { env, cwd, below, writes, content, files, lines, sameScript, unlessRisky } = clause;
  return [
    allowed(clause),
    env === undefined ? '' : ` with ${env.join(' ')} set`,
    cwd === undefined ? '' : ` in ${cwd}${below === true ? ' and below' : ''}`,
    writes === undefined ? '' : `, writing ${writes.join(', ')}`,
    content === undefined
      ? ''
      : `, as long as ${content === '' ? 'the program' : content} itself does not change`,
    files === undefined
      ? ''
      : `, as long as ${files.join(', ')} ${files.length === 1 ? 'does' : 'do'} not change`,
    lines === undefined
      ? ''
      : `, given exactly the ${lines === 1 ? 'line' : `${String(lines)} lines`} of code shown here`,
    sameScript === true ? ', as long as the script reads as it does now' : '',
    unlessRisky === true ? ', unless it looks dangerous' : '',
  ].join('');
}

function allowed({ kind, name, of = '', names = [], words = [], cwd }: Clause): string {
  switch (kind) {
    case 'local-git':
      return `what Git does on this machine alone: it reads, records, puts aside, switches, merges and sets tags, where no work is lost and nothing is fetched or pushed${cwd === undefined ? '' : ','}`;
    case 'tool':
      return `${name} on exactly ${of}`;
    case 'files-below':
      return `changes to any file in ${of} and below`;
    case 'files-in':
      return `changes to any file in ${of}`;
    case 'site':
      return `any address of ${of}`;
    case 'server':
      return `every tool of ${of}`;
    case 'scripts':
      return `${name} to run any script that ${of} has now (${names.join(', ')}), with any arguments`;
    case 'reads':
      return `all that ${name} does where it only reads and changes nothing`;
    case 'any-arguments':
      return `${name} with any arguments`;
    case 'further-arguments':
      return `"${of}" with any further arguments`;
    case 'exact':
      return `exactly "${of}"`;
    case 'other-files':
      return `"${words.map(wordOf).join(' ')}"`;
    default:
      return kind satisfies never;
  }
}

function wordOf({ text: word, any }: Static<typeof clauseWord>): string {
  if (any === undefined) return word;
  return any === 'below' ? '«any file below the folder»' : `«any file in ${word}»`;
}
