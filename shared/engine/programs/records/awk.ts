import {
  doubt,
  flag,
  has,
  inert,
  merge,
  optional,
  path,
  pinned,
  reads,
  writes,
  executes,
} from '../forms.ts';
import { readAwkProgram } from '../languages/awk.ts';
import { posix } from '../syntax.ts';
import type { ProgramRecord, Reading, Yield } from '../types.ts';

const inFile = 'the program of awk stands in a file';
const loadsFile = 'awk loads a library';
const variable = /^[A-Za-z_]\w*=/;

function programmed(reading: Reading): Yield {
  const { options, operands } = reading;
  const texts = options.filter(({ name }) => name === '-e' || name === '--source');
  const isNamed = texts.length > 0 || has(reading, '-f', '--file', '-E', '--exec');
  const [first, ...others] = operands;
  const parts: Yield[] = [];
  const live = texts.some((one) => one.live) || (!isNamed && (first?.live ?? null) !== null);
  if (live) parts.push({ doubts: [doubt('a pattern stands for the program of awk', -1)] });
  else if (texts.length > 0)
    parts.push(
      readAwkProgram(texts.map(({ value }) => value ?? '').join('\n'), texts[0]?.valueWord ?? -1),
    );
  else if (!isNamed && first !== undefined) parts.push(readAwkProgram(first.text, first.word));
  for (const { text, live: pattern, word } of isNamed ? operands : others)
    if (pattern !== null || (text !== '-' && !variable.test(text)))
      parts.push({ effects: [path('reads', text, word, { live: pattern !== null })] });
  return merge(parts);
}

const awk: ProgramRecord = {
  names: ['awk', 'gawk', 'mawk', 'nawk', 'original-awk', 'bwk'],
  takesCode: true,
  runs: 'commands',
  does: 'Prints or computes from the lines of files by a program.',
  held: {},
  environment: {
    AWKPATH: 'decides from where awk takes programs',
    AWKLIBPATH: 'decides from where awk loads libraries',
    AWK_HASH: 'changes how awk works',
    GAWK_READ_TIMEOUT: 'changes how awk reads',
    MAWK_LONG_OPTIONS: 'changes which words are options',
    WHINY_USERS: 'changes the order in which awk works',
  },
  grammar: {
    syntax: posix,
    options: {
      '-F --field-separator': inert,
      '-v --assign': inert,
      '-f --file': pinned(reads, inFile),
      '-E --exec': pinned(reads, inFile),
      '-e --source': inert,
      '-i --include': pinned(reads, inFile),
      '-l --load': executes(loadsFile, inert),
      '-b --characters-as-bytes': flag,
      '-c --traditional': flag,
      '-C --copyright': flag,
      '-g --gen-pot': flag,
      '-h --help': flag,
      '-L --lint': optional(inert),
      '-M --bignum': flag,
      '-N --use-lc-numeric': flag,
      '-n --non-decimal-data': flag,
      '-O --optimize': flag,
      '-P --posix': flag,
      '-r --re-interval': flag,
      '-s --no-optimize': flag,
      '-S --sandbox': flag,
      '-t --lint-old': flag,
      '-V --version': flag,
      '--csv -k': flag,
      '-d --dump-variables': { ...optional(writes), level: 'pinned', why: 'awk writes a file' },
      '-D --debug': { ...optional(reads), level: 'pinned', why: 'awk starts its debugger' },
      '-I --trace': flag,
      '-o --pretty-print': { ...optional(writes), level: 'pinned', why: 'awk writes a file' },
      '-p --profile': { ...optional(writes), level: 'pinned', why: 'awk writes a file' },
      '-W': pinned(inert, 'an option of awk behind -W means different things'),
    },
    operands: { rest: inert },
    finish: programmed,
    offers: 'files',
  },
};

export const awkPrograms: readonly ProgramRecord[] = [awk];
