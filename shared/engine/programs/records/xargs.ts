import { doubt, flag, has, inert, optional, pinned, reads } from '../forms.ts';
import { posix } from '../syntax.ts';
import type { Effect, Operand, ProgramRecord, Reading, Yield } from '../types.ts';

const word = optional(inert);

/** Programs that only read and print, whatever words the input makes of their arguments. */
const readers: ReadonlySet<string> = new Set(
  `[ basename cat cut dirname du echo egrep fgrep file grep head ls md5sum nl readlink realpath rev
  rg sha1sum sha256sum sort stat strings tac tail test wc`.split(/\s+/),
);

/** Checks and formatters that take any further words for files, and change no others. */
const checks =
  /^(?:gofmt|rustfmt|black|isort|flake8|shellcheck|shfmt|clang-format|yamllint|prettier|eslint|stylelint|ruff (?:check|format))(?: |$)/;

/** `sed -i s/a/b/`, where a name is always that of a file, and the program stands in the words. */
function replaces([program, ...words]: readonly Operand[]): boolean {
  if (program?.text !== 'sed' || words.some(({ live }) => live !== null)) return false;
  return /^(?:-(?:[Ers]|[Er]?i)\0)+(?:(?:-e\0[^\0]+\0)+|[^-\0][^\0]*\0)$/.test(
    words.map(({ text }) => `${text}\0`).join(''),
  );
}

/** `sed -n` prints; without it, or with a further option, the words could be those of an edit. */
function prints(operands: readonly Operand[]): boolean {
  const [program, option, ...rest] = operands;
  if (readers.has(program?.text ?? '') || replaces(operands)) return true;
  if (checks.test(operands.map(({ text }) => text).join(' '))) return true;
  const words = operands.slice(1).map(({ text }) => text);
  // A name in the place of its program would be one.
  if (program?.text === 'jq') return /^(?:-[rcSMCeajs]+ )*[^- ]/.test(words.join(' '));
  const isScript = rest.length === 1 && rest[0]?.live === null && !rest[0].text.startsWith('-');
  return program?.text === 'sed' && /^-n[Er]?$/.test(option?.text ?? '') && isScript;
}

function ran(reading: Reading): Yield {
  const { operands } = reading;
  const [first] = operands;
  const words = operands.map(({ text, live }) => ({ text, live }));
  const why = 'xargs builds commands from its input';
  const at = first?.word ?? -1;
  const leading = prints(operands) ? { leading: at + 1 } : {};
  const isFilled = has(reading, '-I', '-i', '-J', '-R', '--replace');
  const filled = isFilled ? { filled: 'xargs makes its input a part of code' } : {};
  const effects: Effect[] = [{ kind: 'command', words, why, word: at, ...leading, ...filled }];
  const live = operands.some((one) => one.live !== null);
  return {
    effects,
    doubts: live ? [doubt('a pattern stands in the command of xargs', first?.word ?? -1)] : [],
  };
}

const xargs: ProgramRecord = {
  names: ['xargs', 'gxargs'],
  takesCode: true,
  does: 'Runs a command with its input as arguments.',
  held: {},
  runs: 'commands',
  grammar: {
    syntax: posix,
    options: {
      '-0 --null': flag,
      '-a --arg-file': reads,
      '-d --delimiter': inert,
      '-E': inert,
      '-e --eof': word,
      '-I': inert,
      '-i --replace': word,
      '-J -R': inert,
      '-L': inert,
      '-l --max-lines': word,
      '-n --max-args': inert,
      '-o --open-tty': flag,
      '-P --max-procs': inert,
      '-p --interactive': flag,
      '--process-slot-var': pinned(inert, 'xargs sets a variable of what it starts'),
      '-r --no-run-if-empty': flag,
      '-s --max-chars': inert,
      '-S': inert,
      '--show-limits': flag,
      '-t --verbose': flag,
      '-x --exit': flag,
      '--help': flag,
      '--version': flag,
    },
    operands: { rest: inert },
    finish: ran,
    offers: 'exact',
  },
};

export const xargsPrograms: readonly ProgramRecord[] = [xargs];
