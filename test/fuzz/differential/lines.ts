import { disturb } from './disturb.ts';
import type { Random } from '../random.ts';
import { pickFrom, programs, randomWord, type Choice } from './words.ts';

const outputs = ['out/o1', '"out/o2"', "out/'o 3'", './out/o4', 'd1/../out/o5'];
const inputs = ['a.txt', 'd1/b.txt', '"a.txt"', '/dev/null'];
const heredocs: Choice = {
  plain: [
    'one\n',
    'one\ntwo\n',
    'it\'s "quoted"\n',
    '\ttabbed\n',
    'cost $5\n',
    'home $HOME\n',
    'back\\\\slash\n',
    '',
    '$K1\n',
  ],
  odd: ['$(alpha)\n', '`beta`\n', 'END\n', 'a\\\nb\n'],
};

interface Draft {
  /** Bodies of heredocs that must follow the line. */
  readonly pending: string[];
  /** Holds only constructs that are understood one by one; what they add up to may still not be. */
  readonly calm: boolean;
  /** The line has set variables of its own. */
  sets: boolean;
}

const descriptors = ['>&x', '2>&-', '3>&1', '<>x', '{fd}>x'];

function redirect(random: Random, draft: Draft): string {
  const { calm, sets } = draft;
  const kind = random.below(100);
  if (kind < 18) return '2>&1';
  if (kind < 32) return `${random.pick(['', '2'])}>/dev/null`;
  if (kind < 50)
    return `${random.pick(['>', '>>', '>|', '2>', '1>', '2>>'])}${random.pick(['', ' '])}${random.pick(outputs)}`;
  if (kind < 62) return `<${random.pick(['', ' '])}${random.pick(inputs)}`;
  if (kind < 68) return `${random.pick(['&>', '&>>'])}${random.pick([...outputs, '/dev/null'])}`;
  if (kind < 72) return pickFrom(random, { plain: ['1>&2', '>&2', '<&0'], odd: descriptors }, calm);
  if (kind < 82) return `<<<${random.pick(['', ' '])}${randomWord(random, calm, sets)}`;
  const mark = random.pick(["'END'", "'E'", '\\E', 'E', 'END', calm ? "'END'" : '"E O"']);
  const plain = mark.replaceAll(/['"\\]/g, '');
  const strip = random.chance(25);
  draft.pending.push(`${pickFrom(random, heredocs, calm)}${strip ? '\t' : ''}${plain}\n`);
  return `<<${strip ? '-' : ''}${random.pick(['', ' '])}${mark}`;
}

function programName(random: Random, { calm }: Draft): string {
  const name = random.pick(programs);
  if (random.chance(85)) return name;
  const plain = [
    `'${name}'`,
    `"${name}"`,
    `\\${name}`,
    `./here/${name}`,
    "$'\\x67amma'",
    'al"pha"',
  ];
  return pickFrom(random, { plain, odd: ['$ALPHA', 'nosuch', `${name}\\\n`, '$K1'] }, calm);
}

const builtins: Choice = {
  plain: [
    'true',
    ':',
    'false',
    'echo a b',
    'echo -n x',
    "echo 'a\\nb'",
    'echo -e "a\\tb"',
    'echo "$?"',
    'printf "%s\\n" a b',
    "printf '%d %s\\n' 3 x",
    '[ -f a.txt ]',
    '[ ! -d d1 ]',
    'test a = b',
    '[ "$USER" == ann ]',
    '[ 1 -lt 2 ]',
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
    '[ -n "$?" ]',
    'command alpha',
    'exec beta x',
    'command echo hi',
    '[[ -f a.txt ]]',
    '[[ ! -d none ]]',
    '[[ -f a.txt && -d d1 ]]',
    '[[ -f none || ! -d none ]]',
    '[[ -f a.txt && -f none || a == a ]]',
    'cd -',
    'pushd d1',
    'popd',
    'cd "$(pwd)"',
    'echo "$(pwd)"',
    '[[ a == b ]]',
    '[[ $USER == ann ]]',
    '[[ "$TEXT" != "" ]]',
    '[[ $? = 0 ]]',
    '[[ a.txt -nt x1 ]]',
    '[[ -z "$EMPTY" ]]',
    'alpha | beta; echo "${PIPESTATUS[0]} ${PIPESTATUS[1]}"',
    '[ "${PIPESTATUS[0]}" -eq 0 ]',
    'K2=$(alpha); echo "${K2##* }" ${#K2}',
    'K2=$(alpha b); echo x$K2 $K2',
    'RC=$?; echo "$((RC + 1))"',
  ],
  odd: [
    'echo $(alpha)',
    "test -v 'a[$(alpha)]'",
    '[ x -eq 1 ]',
    'printf -v x y',
    'eval alpha',
    '. ./a.txt',
    'read x',
    'alias x=y',
    'wait',
    'test',
    '[ ]',
    'test -n',
    'test "" ',
    'umask 022',
    'let x=1',
    'exec 2>&1',
    'history',
    "[[ -v 'a[$(alpha)]' ]]",
    "[[ 'a[$(alpha)]' -eq 1 ]]",
    '[[ a == * ]]',
    '[[ $TEXT == $TEXT ]]',
    '[[ a =~ (.) ]]',
    '[[ -f a.txt && ( -d d1 ) ]]',
    '[[ a == a || a == b && a == b ]]',
    'pushd',
    'pushd +1',
    'popd +1',
    '[[ "-f" a.txt ]]',
    '[[ -f ~/x ]]',
    'readonly K1=x',
    'unset K1',
    'export K1',
    "declare -i K1='a[$(alpha)]'",
    "OPTIND='a[$(alpha)]'",
    'K1+=x',
  ],
};

/** Variables for the rest of the line, alone and on the way to a program. */
function setting(random: Random, draft: Draft): string {
  const name = random.pick(['K1', 'K1', 'K2', 'FOO', 'USER']);
  draft.sets = true;
  if (random.chance(12)) return 'RC=$?';
  if (random.chance(15))
    return `${name}=${random.pick(['$(alpha)', '"$(alpha b)"', '`beta`', 'x$(alpha)y'])}`;
  const value = randomWord(random, draft.calm, draft.sets);
  const first = `${random.pick(['', '', 'export '])}${name}=${value}`;
  return random.chance(15) ? `${first} K2=$${name}` : first;
}

const wrappers: Choice = {
  plain: [
    'timeout 5',
    'env',
    'env FOO=bar',
    'nice',
    'nice -n 5',
    'nohup',
    'command',
    'timeout --sig=TERM 9',
    'time',
  ],
  odd: ['env -u FOO', 'sudo'],
};
const strange = ['PATH=/x', 'LD_PRELOAD=x', 'a[0]=1', 'A+=x', 'B=(1 2)'];

function simple(random: Random, draft: Draft): string {
  const { calm } = draft;
  if (random.chance(6)) return setting(random, draft);
  if (random.chance(18))
    return `${pickFrom(random, builtins, calm)}${random.chance(12) ? ` ${redirect(random, draft)}` : ''}`;
  const word = (): string => randomWord(random, calm, draft.sets);
  const parts: string[] = [];
  if (random.chance(8)) parts.push(`FOO=${word()}`);
  if (random.chance(2)) parts.push(`USER=${word()}`);
  if (!calm && random.chance(2)) parts.push(random.pick(strange));
  if (random.chance(10)) parts.push(pickFrom(random, wrappers, calm));
  if (random.chance(3)) parts.push(redirect(random, draft));
  parts.push(programName(random, draft));
  for (let count = random.below(4); count > 0; count--) parts.push(word());
  for (let count = random.chance(25) ? 1 + random.below(2) : 0; count > 0; count--)
    parts.push(redirect(random, draft));
  return parts.join(random.pick([' ', ' ', ' ', '  ', '\t', ' \\\n ']));
}

const listed: Choice = {
  plain: [
    'a b',
    '1 2 3',
    'x',
    "'two words' -rf",
    '*.c',
    '*.none',
    'd1/*',
    '{1..3}',
    '"$TEXT" $USER',
    '$EMPTY',
    "'' 'a*'",
    '?1 [ab].c',
    './*.txt',
    '*/',
    'd?/../a.txt',
    '$K1 x',
    '$K2',
    '"line\nbreak" \\* "\\$HOME"',
    '$(alpha)',
    'x $(alpha b) *.c',
    '"$(alpha)" $K1',
  ],
  odd: ['$TEXT', '"$@"', '.*', '[[:alpha:]]*', '$?', '$UNKNOWN', '[!a-c]*'],
};
const casePatterns: Choice = {
  plain: ['x', '*', 'a|b', '[ab]*', '"*"', "'a b'", '$USER', '*.c | ?', '-*', '(x', '1.5.*', '""'],
  odd: ['$TEXT', '~', '$(alpha)', '@(a)', 'a{b,c}', '[[:alpha:]]'],
};

/** A list inside of a construct; its documents would have to follow on lines of its own. */
function body(random: Random, draft: Draft, depth: number): string {
  const inner: Draft = { pending: [], calm: draft.calm, sets: draft.sets };
  const text = list(random, inner, depth + 1);
  draft.sets ||= inner.sets;
  return inner.pending.length === 0 ? text : `${text}\n${inner.pending.join('')}`;
}

/** Loops, conditions and cases, in one line or in several. */
function construct(random: Random, draft: Draft, depth: number): string {
  const kind = random.below(100);
  const end = random.pick(['; ', '\n', ' ;\n ']);
  const ends = (text: string): string => (text.endsWith('\n') ? text : `${text}${end}`);
  const inner = (): string => ends(body(random, draft, depth));
  const tail = random.chance(15) ? ` ${redirect(random, draft)}` : '';
  if (kind < 45) {
    const name = random.pick(['K1', 'K1', 'K2', 'f', 'USER']);
    const values = pickFrom(random, listed, draft.calm);
    draft.sets = true;
    const leaves = random.chance(30)
      ? `${random.pick(['alpha', '[ "$K1" = a ]', '! alpha', 'true', '[ "$K1" = 2 ]'])} ${random.pick(['&&', '||'])} ${random.pick(['continue', 'break'])}; `
      : '';
    return `for ${name} in ${values}${end}do ${leaves}${inner()}done${tail}`;
  }
  if (kind < 75) {
    const middle = random.chance(25) ? `elif ${inner()}then ${inner()}` : '';
    const other = random.chance(50) ? `else ${inner()}` : '';
    return `if ${inner()}then ${inner()}${middle}${other}fi${tail}`;
  }
  if (kind < 85) {
    if (random.chance(50)) {
      draft.sets = true;
      const from = random.pick(['< a.txt', '<<< "a b c"', '< d1/b.txt']);
      return `while ${random.pick(['read -r K1', 'read -r K1 K2', 'alpha; read -r K1', 'IFS=, read -r K1 K2', 'IFS= read -r K1'])}; do ${inner()}done ${from}`;
    }
    const once = random.pick([
      'while ! true',
      'until true',
      'while false',
      'until :',
      'while alpha',
    ]);
    const stop = once === 'while alpha' ? `${random.pick(['break', 'false || break'])}; ` : '';
    return `${once}; do ${inner()}${stop}${random.pick(['', 'continue; '])}done${tail}`;
  }
  const subject = pickFrom(
    random,
    {
      plain: ['x', '"$USER"', '$USER', '"$K1"', "'a b'", '-x', '1.5.2', '""'],
      odd: ['$?', '$TEXT', '*'],
    },
    draft.calm,
  );
  const branches = Array.from({ length: 1 + random.below(3) }, () => {
    const text = random.chance(15) ? '' : body(random, draft, depth);
    const stop = draft.calm ? ';;' : random.pick([';;', ';;', ';&', ';;&']);
    return `${pickFrom(random, casePatterns, draft.calm)}) ${text}${text.endsWith('\n') ? '' : ' '}${stop}${random.pick([' ', '\n'])}`;
  });
  return `case ${subject} in ${branches.join('')}esac${tail}`;
}

function command(random: Random, draft: Draft, depth: number): string {
  const kind = random.below(100);
  if (depth <= 2 && random.chance(7)) return construct(random, draft, depth);
  if (depth <= 2 && random.chance(3)) {
    const inner = body(random, draft, depth);
    if (!inner.endsWith('\n'))
      return `{ ${inner} & ${random.pick(['wait', 'alpha', 'jobs >/dev/null', 'wait; beta', 'P=$!; wait $P', 'wait $!; alpha'])}; }`;
  }
  if (depth > 2 || kind < 80) return simple(random, draft);
  if (kind >= 90 && kind < 95) return shellCall(random, draft, depth);
  const inner = list(random, draft, depth + 1);
  if (kind < 85 || (draft.calm && kind >= 95))
    return `( ${inner} )${random.chance(20) ? ` ${redirect(random, draft)}` : ''}`;
  if (kind < 90) return `{ ${inner}; }${random.chance(20) ? ` ${redirect(random, draft)}` : ''}`;
  return random.pick([
    `for ((K1=0; K1<2; K1++)); do ${inner}; done`,
    `for K1; do ${inner}; done`,
    `select K1 in a; do ${inner}; done`,
    `f() { ${inner}; }`,
    `alpha <(${inner})`,
  ]);
}

function shellCall(random: Random, draft: Draft, depth: number): string {
  const shell = random.pick([
    'bash -c',
    'sh -c',
    'timeout 5 bash -c',
    'FOO=z sh -c',
    'bash -ec',
    'K1=z bash -c',
  ]);
  const inner: Draft = { pending: [], calm: draft.calm, sets: draft.sets };
  const text = list(random, inner, depth + 1);
  const whole = inner.pending.length === 0 ? text : `${text}\n${inner.pending.join('')}`;
  return `${shell} '${whole.replaceAll("'", "'\\''")}'`;
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

/** A command line: calm in half of the cases, disturbed now and then. */
export function randomLine(random: Random): string {
  const calm = random.chance(55);
  const draft: Draft = { pending: [], calm, sets: false };
  let line = list(random, draft, 0);
  if (draft.pending.length > 0) line += `\n${draft.pending.join('')}`;
  else if (random.chance(5)) line += random.pick([' # tail', '\n', ';', ' ', '\n\n# end', ' \\\n']);
  const disturbed = random.chance(calm ? 10 : 45);
  for (let count = disturbed ? 1 + random.below(3) : 0; count > 0; count--)
    line = disturb(random, line);
  return line;
}
