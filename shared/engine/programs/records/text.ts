import {
  flag,
  gnuCommon,
  inert,
  into,
  namesFrom,
  optional,
  reads,
  starts,
  writes,
} from '../forms.ts';
import { gnu } from '../syntax.ts';
import type { ProgramRecord } from '../types.ts';

const none = { ...optional(inert) };

const sort: ProgramRecord = {
  names: ['sort', 'gsort'],
  does: 'Sorts the lines of files.',
  held: { temporary: true },
  environment: {
    TMPDIR: 'decides where it puts files for a while',
    _POSIX2_VERSION: 'changes which words are options',
  },
  grammar: {
    syntax: gnu,
    options: {
      '-b --ignore-leading-blanks': flag,
      '-d --dictionary-order': flag,
      '-f --ignore-case': flag,
      '-g --general-numeric-sort': flag,
      '-h --human-numeric-sort': flag,
      '-i --ignore-nonprinting': flag,
      '-M --month-sort': flag,
      '-m --merge': flag,
      '-n --numeric-sort': flag,
      '-R --random-sort': flag,
      '-r --reverse': flag,
      '-s --stable': flag,
      '-u --unique': flag,
      '-V --version-sort': flag,
      '-z --zero-terminated': flag,
      '-c -C': flag,
      '--check': none,
      '--debug': flag,
      '-k --key': inert,
      '-S --buffer-size': inert,
      '-t --field-separator': inert,
      '-y': none,
      '--sort': inert,
      '--batch-size': inert,
      '--parallel': inert,
      '--random-source': reads,
      '--files0-from': namesFrom,
      '-o --output': writes,
      '-T --temporary-directory': into,
      '--compress-program': starts,
      ...gnuCommon,
    },
    operands: { rest: reads },
    offers: 'files',
  },
};

/** `head -5`, `head -20c`, `tail -3f`. */
const oldCount = /^-[0-9]+[bkmcqvz]*$/;

const head: ProgramRecord = {
  names: ['head', 'ghead'],
  does: 'Prints the first lines of files.',
  held: {},
  grammar: {
    syntax: gnu,
    numeric: oldCount,
    options: {
      '-c --bytes': inert,
      '-n --lines': inert,
      '-q --quiet --silent': flag,
      '-v --verbose': flag,
      '-z --zero-terminated': flag,
      ...gnuCommon,
    },
    operands: { rest: reads },
    offers: 'reads',
  },
};

const tail: ProgramRecord = {
  names: ['tail', 'gtail'],
  does: 'Prints the last lines of files.',
  held: {},
  grammar: {
    syntax: gnu,
    numeric: /^-[0-9]+[bcl]?f?$/,
    options: {
      '-c --bytes': inert,
      '-n --lines': inert,
      '-f': flag,
      '--follow': none,
      '-F': flag,
      '--max-unchanged-stats': inert,
      '--pid': inert,
      '-q --quiet --silent': flag,
      '--retry': flag,
      '-s --sleep-interval': inert,
      '-v --verbose': flag,
      '-z --zero-terminated': flag,
      ...gnuCommon,
    },
    operands: { rest: reads },
    offers: 'reads',
  },
};

const cat: ProgramRecord = {
  names: ['cat', 'gcat'],
  does: 'Prints files.',
  held: {},
  grammar: {
    syntax: gnu,
    options: {
      '-A --show-all': flag,
      '-b --number-nonblank': flag,
      '-E --show-ends': flag,
      '-n --number': flag,
      '-s --squeeze-blank': flag,
      '-T --show-tabs': flag,
      '-v --show-nonprinting': flag,
      '-e -t -u': flag,
      ...gnuCommon,
    },
    operands: { rest: reads },
    offers: 'reads',
  },
};

const wc: ProgramRecord = {
  names: ['wc', 'gwc'],
  does: 'Counts lines, words and bytes of files.',
  held: {},
  grammar: {
    syntax: gnu,
    options: {
      '-c --bytes': flag,
      '-m --chars': flag,
      '-l --lines': flag,
      '-L --max-line-length': flag,
      '-w --words': flag,
      '--debug': flag,
      '--total': inert,
      '--files0-from': namesFrom,
      ...gnuCommon,
    },
    operands: { rest: reads },
    offers: 'reads',
  },
};

const cut: ProgramRecord = {
  names: ['cut', 'gcut'],
  does: 'Prints parts of each line of files.',
  held: {},
  grammar: {
    syntax: gnu,
    options: {
      '-b --bytes': inert,
      '-c --characters': inert,
      '-d --delimiter': inert,
      '-f --fields': inert,
      '-n': flag,
      '--complement': flag,
      '-s --only-delimited': flag,
      '--output-delimiter': inert,
      '-z --zero-terminated': flag,
      ...gnuCommon,
    },
    operands: { rest: reads },
    offers: 'reads',
  },
};

export const textPrograms: readonly ProgramRecord[] = [sort, head, tail, cat, wc, cut];
