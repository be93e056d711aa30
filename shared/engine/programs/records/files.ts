import { flag, gnuCommon, has, inert, optional, path, reads, risk, writes } from '../forms.ts';
import { gnu, keyValue } from '../syntax.ts';
import type { Options, ProgramRecord } from '../types.ts';

const word = optional(inert);

const ls: ProgramRecord = {
  names: ['ls', 'gls', 'dir', 'vdir'],
  onlyNames: true,
  does: 'Lists the files of folders.',
  held: {},
  grammar: {
    syntax: gnu,
    dashIsFile: true,
    options: {
      '-a --all': flag,
      '-A --almost-all': flag,
      '--author': flag,
      '-b --escape': flag,
      '--block-size': inert,
      '-B --ignore-backups': flag,
      '-c -C -f -g -l -m -o -S -t -u -U -v -x -X -1': flag,
      '--color': word,
      '-d --directory': flag,
      '-D --dired': flag,
      '-F': flag,
      '--classify': word,
      '--file-type': flag,
      '-p': flag,
      '--format': inert,
      '--full-time': flag,
      '--group-directories-first': flag,
      '-G --no-group': flag,
      '-h --human-readable': flag,
      '--si': flag,
      '-H --dereference-command-line': flag,
      '--dereference-command-line-symlink-to-dir': flag,
      '--hide': inert,
      '--hyperlink': word,
      '--indicator-style': inert,
      '-i --inode': flag,
      '-I --ignore': inert,
      '-k --kibibytes': flag,
      '-L --dereference': flag,
      '-n --numeric-uid-gid': flag,
      '-N --literal': flag,
      '-q --hide-control-chars': flag,
      '--show-control-chars': flag,
      '-Q --quote-name': flag,
      '--quoting-style': inert,
      '-r --reverse': flag,
      '-R --recursive': flag,
      '-s --size': flag,
      '--sort': inert,
      '--time': inert,
      '--time-style': inert,
      '-T --tabsize': inert,
      '-w --width': inert,
      '-Z --context': flag,
      '--zero': flag,
      ...gnuCommon,
    },
    operands: { rest: reads },
    offers: 'reads',
  },
};

const rm: ProgramRecord = {
  names: ['rm', 'grm'],
  does: 'Deletes files and folders.',
  held: {},
  grammar: {
    syntax: gnu,
    dashIsFile: true,
    options: {
      '-f --force': flag,
      '-i -I': flag,
      '--interactive': word,
      '--one-file-system': flag,
      '--no-preserve-root': flag,
      '--preserve-root': word,
      '--presume-input-tty': flag,
      '-r -R --recursive': flag,
      '-d --dir': flag,
      '-v --verbose': flag,
      ...gnuCommon,
    },
    operands: { rest: inert },
    finish: (reading) => {
      const tree = has(reading, '-r', '-R', '--recursive');
      const effects = reading.operands.map(({ text, live, word: at }) =>
        path('deletes', text, at, { tree, live: live !== null }),
      );
      const text = has(reading, '--no-preserve-root')
        ? 'Deletes also the root of the file system.'
        : tree && effects.length === 0
          ? 'Deletes every folder that it is handed.'
          : null;
      return text === null
        ? { effects }
        : { effects, risks: [risk('recursive-delete', 'high', text)] };
    },
    offers: 'exact',
  },
};

const mkdir: ProgramRecord = {
  names: ['mkdir', 'gmkdir'],
  onlyNames: true,
  does: 'Makes folders.',
  held: {},
  grammar: {
    syntax: gnu,
    dashIsFile: true,
    options: {
      '-m --mode': inert,
      '-p --parents': flag,
      '-v --verbose': flag,
      '-Z': flag,
      '--context': word,
      ...gnuCommon,
    },
    operands: { rest: writes },
    offers: 'files',
  },
};

const blockWhere: Options = {
  'if=': reads,
  'of=': writes,
  'bs= ibs= obs= cbs= count= skip= iseek= seek= oseek= conv= iflag= oflag= status= files= speed=':
    inert,
};
const dd: ProgramRecord = {
  names: ['dd', 'gdd'],
  does: 'Copies bytes.',
  grammar: {
    syntax: keyValue,
    options: blockWhere,
    operands: { rest: inert },
    offers: 'exact',
  },
};

export const filePrograms: readonly ProgramRecord[] = [ls, rm, mkdir, dd];
