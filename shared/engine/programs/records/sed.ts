import { doubt, flag, has, inert, merge, optional, path, pinned, reads } from '../forms.ts';
import { readSedScript } from '../languages/sed.ts';
import { gnu } from '../syntax.ts';
import type { Effect, Operand, ProgramRecord, Reading, Yield } from '../types.ts';

const scripts = ['-e', '--expression'];
const files = ['-f', '--file'];

function edited(reading: Reading): Yield {
  const { options, operands } = reading;
  const given = options.filter(({ name }) => scripts.includes(name));
  const isNamed = given.length > 0 || has(reading, ...files);
  const [first, ...others] = operands;
  const inputs = isNamed ? operands : others;
  const parts: Yield[] = [];
  if (!isNamed && first !== undefined)
    parts.push(script(first.text, first.word, first.live !== null, reading));
  // Sed joins the parts with new lines, so that one may end in the next.
  else if (given.length > 0)
    parts.push(
      script(
        given.map(({ value }) => value ?? '').join('\n'),
        given[0]?.valueWord ?? -1,
        given.some(({ live }) => live),
        reading,
      ),
    );
  const inPlace = options.filter(({ name }) => name === '-i' || name === '--in-place');
  parts.push(...inputs.map((operand) => input(operand, inPlace.length > 0)));
  for (const { value } of inPlace)
    if (value !== null && value !== '')
      parts.push({ effects: inputs.map((operand) => keptBy(value, operand)) });
  for (const { value, word } of inPlace)
    if (value?.includes('/') === true)
      parts.push({ doubts: [doubt('the suffix of sed -i leads to another folder', word)] });
  return merge(parts);
}

function script(text: string, word: number, live: boolean, reading: Reading): Yield {
  if (live) return { doubts: [doubt('a pattern stands for the script of sed', word)] };
  return isSandboxed(reading) ? {} : readSedScript(text, word);
}

/** Sed reads `-e` and `-f` where they stand, and opens the files that they write at once. */
function isSandboxed({ options }: Reading): boolean {
  const at = options.findIndex(({ name }) => name === '--sandbox');
  const first = options.findIndex(({ name }) => scripts.includes(name) || files.includes(name));
  return at !== -1 && (first === -1 || at < first);
}

function input({ text, live, word }: Operand, edits: boolean): Yield {
  if (text === '-' && !edits) return {};
  return { effects: [path(edits ? 'edits' : 'reads', text, word, { live: live !== null })] };
}

/** Where `sed -i` keeps the file as it was: a star in the suffix stands for its name. */
function keptBy(suffix: string, { text, live, word }: Operand): Effect {
  const at = text.lastIndexOf('/') + 1;
  const name = text.slice(at);
  const kept = suffix.includes('*') ? suffix.replaceAll('*', name) : `${name}${suffix}`;
  return path('writes', `${text.slice(0, at)}${kept}`, word, { live: live !== null });
}

const sed: ProgramRecord = {
  names: ['sed', 'gsed'],
  takesCode: true,
  does: 'Prints or changes the lines of files by a script.',
  held: {},
  grammar: {
    syntax: gnu,
    options: {
      '-n --quiet --silent': flag,
      '--debug': flag,
      '-e --expression': inert,
      '-f --file': pinned(reads, 'the script of sed stands in a file'),
      '--follow-symlinks': flag,
      '-i --in-place': optional(inert),
      '-l --line-length': inert,
      '-b --binary': flag,
      '-p --posix': flag,
      '-E -r --regexp-extended': flag,
      '-s --separate': flag,
      '--sandbox': flag,
      '-u --unbuffered': flag,
      '-z --null-data --zero-terminated': flag,
      '-h --help': flag,
      '--version': flag,
    },
    operands: { rest: inert },
    finish: edited,
    offers: (reading) => (has(reading, '-i', '--in-place') ? 'exact' : 'files'),
  },
};

export const sedPrograms: readonly ProgramRecord[] = [sed];
