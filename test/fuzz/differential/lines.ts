import type { Random } from '../random.ts';
import { programs, randomWord } from './words.ts';

const outputs = ['out/o1', '"out/o2"', "out/'o 3'", './out/o4', 'd1/../out/o5'];
const inputs = ['a.txt', 'd1/b.txt', '"a.txt"', '/dev/null'];
const heredocs = [
  'one\n',
  'one\ntwo\n',
  'it\'s "quoted"\n',
  '\ttabbed\n',
  'cost $5\n',
  'home $HOME\n',
  '$(alpha)\n',
  '`beta`\n',
  'END\n',
  'back\\\\slash\n',
  '',
  'a\\\nb\n',
];

interface Draft {
  /** Bodies of heredocs that must follow the line. */
  readonly pending: string[];
}

function redirect(random: Random, draft: Draft): string {
  const kind = random.below(100);
  if (kind < 18) return '2>&1';
  if (kind < 32) return `${random.pick(['', '2'])}>/dev/null`;
  if (kind < 50)
    return `${random.pick(['>', '>>', '>|', '2>', '1>', '2>>'])}${random.pick(['', ' '])}${random.pick(outputs)}`;
  if (kind < 62) return `<${random.pick(['', ' '])}${random.pick(inputs)}`;
  if (kind < 68) return `${random.pick(['&>', '&>>'])}${random.pick([...outputs, '/dev/null'])}`;
  if (kind < 72) return random.pick(['1>&2', '>&2', '2>&-', '3>&1', '>&x', '<&0', '<>x', '{fd}>x']);
  if (kind < 82) return `<<<${random.pick(['', ' '])}${randomWord(random)}`;
  const mark = random.pick(['E', 'END', "'E'", '"E O"', '\\E', "'END'"]);
  const plain = mark.replaceAll(/['"\\]/g, '');
  const strip = random.chance(25);
  draft.pending.push(`${random.pick(heredocs)}${strip ? '\t' : ''}${plain}\n`);
  return `<<${strip ? '-' : ''}${random.pick(['', ' '])}${mark}`;
}

function programName(random: Random): string {
  const name = random.pick(programs);
  if (random.chance(85)) return name;
  return random.pick([
    `'${name}'`,
    `"${name}"`,
    `\\${name}`,
    `./here/${name}`,
    "$'\\x67amma'",
    '$ALPHA',
    'al"pha"',
    'nosuch',
    `${name}\\\n`,
  ]);
}

const builtins = [
  'true',
  ':',
  'false',
  'echo a b',
  'echo -n x',
  "echo 'a\\nb'",
  'echo -e "a\\tb"',
  'echo "$?"',
  'echo *',
  'printf "%s\\n" a b',
  "printf '%d %s\\n' 3 x",
  '[ -f a.txt ]',
  '[ ! -d d1 ]',
  'test a = b',
  '[ "$USER" == ann ]',
  '[ 1 -lt 2 ]',
  "test -v 'a[$(alpha)]'",
  '[ x -eq 1 ]',
  'printf -v x y',
  'pwd',
  'cd d1',
  'cd d1/..',
  'cd none',
  'cd',
  'cd d2/sub',
  'set -e',
  'set -u',
  'set -o pipefail',
  'exit',
  'exit 3',
  'command -v alpha',
  'type alpha',
  'eval alpha',
  '. ./a.txt',
  'export A=b',
  'A=b',
  'read x',
  'alias x=y',
  'wait',
  'test',
  '[ ]',
  'test -n',
  'test "" ',
  '[ -n "$?" ]',
  'umask 022',
  'let x=1',
  'exec 2>&1',
  'history',
  'command alpha',
  'exec beta x',
  'command echo hi',
];

function simple(random: Random, draft: Draft): string {
  if (random.chance(18))
    return `${random.pick(builtins)}${random.chance(12) ? ` ${redirect(random, draft)}` : ''}`;
  const parts: string[] = [];
  if (random.chance(8)) parts.push(`FOO=${randomWord(random)}`);
  if (random.chance(1))
    parts.push(random.pick(['PATH=/x', 'LD_PRELOAD=x', 'a[0]=1', 'A+=x', 'B=(1 2)']));
  if (random.chance(10))
    parts.push(
      random.pick([
        'timeout 5',
        'env',
        'env FOO=bar',
        'nice',
        'nice -n 5',
        'nohup',
        'command',
        'timeout --sig=TERM 9',
        'env -u FOO',
        'sudo',
        'time',
      ]),
    );
  if (random.chance(3)) parts.push(redirect(random, draft));
  parts.push(programName(random));
  for (let count = random.below(4); count > 0; count--) parts.push(randomWord(random));
  for (let count = random.chance(25) ? 1 + random.below(2) : 0; count > 0; count--)
    parts.push(redirect(random, draft));
  return parts.join(random.pick([' ', ' ', ' ', '  ', '\t', ' \\\n ']));
}

function command(random: Random, draft: Draft, depth: number): string {
  const kind = random.below(100);
  if (depth > 2 || kind < 80) return simple(random, draft);
  const inner = list(random, draft, depth + 1);
  if (kind < 85) return `( ${inner} )${random.chance(20) ? ` ${redirect(random, draft)}` : ''}`;
  if (kind < 90) return `{ ${inner}; }${random.chance(20) ? ` ${redirect(random, draft)}` : ''}`;
  if (kind < 95)
    return `${random.pick(['bash -c', 'sh -c', 'timeout 5 bash -c', 'FOO=z sh -c', 'bash -ec'])} '${list(random, { pending: [] }, depth + 1).replaceAll("'", "'\\''")}'`;
  return random.pick([
    `if ${inner}; then alpha; fi`,
    `for i in a b; do ${inner}; done`,
    `while ${inner}; do :; done`,
    `f() { ${inner}; }`,
    `${inner} &`,
    `alpha <(${inner})`,
    `[[ a == b ]] && ${inner}`,
    `case x in x) ${inner};; esac`,
  ]);
}

function pipeline(random: Random, draft: Draft, depth: number): string {
  let text = random.chance(6) ? '! ' : '';
  if (random.chance(2)) text = `time ${text}`;
  text += command(random, draft, depth);
  for (let count = random.chance(25) ? 1 + random.below(2) : 0; count > 0; count--)
    text += `${random.pick([' | ', '|', ' |\n', ' |& '])}${command(random, draft, depth)}`;
  return text;
}

function list(random: Random, draft: Draft, depth: number): string {
  let text = pipeline(random, draft, depth);
  for (let count = random.chance(45) ? 1 + random.below(3) : 0; count > 0; count--) {
    const joiner = random.pick([' && ', '&&', ' || ', '; ', ';', '\n', ' # note\n', ' &&\n']);
    if (joiner.includes('\n') && draft.pending.length > 0) {
      const bodies = draft.pending.splice(0).join('');
      text += `${joiner}${bodies}`;
    } else text += joiner;
    text += pipeline(random, draft, depth);
  }
  return text;
}

const sharp = [
  '$',
  '(',
  ')',
  '`',
  "'",
  '"',
  '\\',
  ';',
  '&',
  '|',
  '<',
  '>',
  '{',
  '}',
  '[',
  ']',
  '*',
  '?',
  '~',
  '#',
  '!',
  '\n',
  '\t',
  ' ',
  '=',
  ',',
  '\\\n',
  '$(',
  '$((',
  '&&',
  '||',
  '<<',
  '\r',
  '\u0000',
  '\u00a0',
  '-',
  '2',
  '@',
  '%',
  '^',
  ':',
  '..',
  ';;',
];

/** A small change that a hostile hand, or a slip, might make. */
function disturb(random: Random, line: string): string {
  const at = random.below(line.length + 1);
  const kind = random.below(3);
  if (kind === 0) return line.slice(0, at) + line.slice(at + 1 + random.below(3));
  if (kind === 1) return line.slice(0, at) + random.pick(sharp) + line.slice(at);
  const from = random.below(line.length + 1);
  return line.slice(0, at) + line.slice(from, from + 1 + random.below(6)) + line.slice(at);
}

/** A command line: well formed most of the time, disturbed in a third of the cases. */
export function randomLine(random: Random): string {
  const draft: Draft = { pending: [] };
  let line = list(random, draft, 0);
  if (draft.pending.length > 0) line += `\n${draft.pending.join('')}`;
  else if (random.chance(5)) line += random.pick([' # tail', '\n', ';', ' ', '\n\n# end', ' \\\n']);
  for (let count = random.chance(33) ? 1 + random.below(3) : 0; count > 0; count--)
    line = disturb(random, line);
  return line;
}
