import type { Random } from '../random.ts';

/** Programs of the throw-away folder; all are the same stand-in. */
export const programs = [
  'alpha',
  'beta',
  'gamma',
  'git',
  'grep',
  'ls',
  'rm',
  'find',
  'sort',
  'tar',
  'make',
  'npm',
  'awk',
  'sed',
  'python3',
  'xargs',
  'ln',
] as const;

/** Words by what becomes of them: those that are understood, and those that must be opaque. */
export interface Choice {
  readonly plain: readonly string[];
  readonly odd: readonly string[];
}

/** One of a choice; a calm line holds only what is understood. */
export function pickFrom(random: Random, { plain, odd }: Choice, calm: boolean): string {
  const all = plain.length + (calm ? 0 : odd.length);
  const at = random.below(all);
  return plain[at] ?? odd[at - plain.length] ?? '';
}

const bare: Choice = {
  plain:
    `a b c x1 foo bar.txt -l --all -n5 --name=value a=b path/to/file ./here ../up 0 12 -3 % @ + , . :
  a,b x:y {} {a} a{b}c a} =x x= --x={} # #x x#y ! !x x! ^ a^b é 日本 😀 - -- ] /none/such .hidden
  ]] in do time coproc function`.split(/\s+/),
  odd: ['[', '[]'],
};

const inside = [
  'plain',
  'two words',
  '  spaces  ',
  'tab\there',
  'line\nbreak',
  '*',
  '?',
  '~',
  '{a,b}',
  ';',
  '&&',
  '|',
  '# no comment',
  '<in',
  '>out/x',
  '!',
  'é😀',
  '\u00a0',
  '%s',
  '-e',
  '',
];

function singleQuoted(random: Random): string {
  const extra = random.pick(['', '', '"', '\\', '$HOME', '`id`', '$(id)', '\\n', '$\n(x)']);
  return `'${random.pick(inside)}${extra}'`;
}

const quotedEnds: Choice = {
  plain: [
    '',
    '',
    "'",
    '\\"',
    '\\\\',
    '\\$x',
    '\\`',
    '$HOME',
    '${USER}',
    '\\n',
    '$',
    '$ x',
    '\\\n',
    '$?',
    '$TEXT',
    '$K1',
    '${K2}',
    '$RC',
    '$(alpha b)',
    '`beta`',
    '$(alpha "$USER" | beta; gamma)',
  ],
  odd: ['$UNKNOWN', '$(<a.txt)', '`beta \\`a\\``', '$K9', '$(alpha', '$()', '$(( alpha ))'],
};

function doubleQuoted(random: Random, calm: boolean): string {
  if (random.chance(4)) return catHeredoc(random, calm);
  const extra = pickFrom(random, quotedEnds, calm);
  return `"${random.pick(inside)}${extra}${random.pick(['', 'z', '/z'])}"`;
}

const catMarks: Choice = { plain: ["'EOF'", '"EOF"', "'E.O-F'"], odd: ['EOF', '\\EOF'] };
const catBodies: Choice = {
  plain: [
    'one\n',
    'fix: it\'s "so"\n\nBody (x\n',
    '$(alpha) `beta` $HOME\n',
    '',
    ')\n',
    '\ttab\n\n\n',
  ],
  odd: ['EOF\n', 'a\\\n', 'EOF)\n', 'EOFx\n'],
};

/** How agents write long messages. */
function catHeredoc(random: Random, calm: boolean): string {
  const mark = pickFrom(random, catMarks, calm);
  const plain = mark.replaceAll(/['"\\]/g, '');
  const strip = random.chance(20);
  const opening = `$(cat <<${strip ? '-' : ''}${random.pick(['', ' '])}${mark}`;
  const tail = calm ? ')' : random.pick([')', ' )', '; alpha)', ' | beta)', 'alpha)']);
  return `"${opening}\n${pickFrom(random, catBodies, calm)}${strip ? '\t' : ''}${plain}\n${tail}"`;
}

const ansi: Choice = {
  plain: [
    "$'a\\nb'",
    "$'\\t'",
    "$'\\x67\\x61mma'",
    "$'it\\'s'",
    "$'\\101'",
    "$'\\\\'",
    "$'a\\u0041'",
  ],
  odd: ["$'\\q'", "$'x\\0y'"],
};
const patterns: Choice = {
  plain: [
    '*',
    '*.txt',
    '?.c',
    'd?/*',
    '[ab].c',
    'x[0-9]',
    './*',
    'd1/*.txt',
    '*.none',
    '[!a]*',
    "'a'*",
    '*"."c',
  ],
  odd: ['.*', 'a*[', '[[:alpha:]]', "'*'*", '[^a]*'],
};
const braces: Choice = {
  plain: [
    '{a,b}',
    'x{1,2}y',
    '{1..3}',
    '{c..a}',
    '{a,{b,c}}d',
    '{a,b}{c,d}',
    '{,x}',
    'p{,.bak}',
    "{'x y',z}",
    '$HOME/{a,b}',
  ],
  odd: ['{a', 'a,b}', '{a,b', '{1..3..2}', '{$USER,b}', '{~,x}'],
};
const tildes: Choice = {
  plain: ['~', '~/x', '~/"a b"', 'x~', '"~"/x'],
  odd: ['~user', '~+', 'a=~/x', '--dir=~/x', '~"/x"', 'a:~/b'],
};
const variables: Choice = {
  plain: [
    '$HOME',
    '${HOME}/x',
    '$USER',
    '"$TEXT"',
    '$?',
    '$',
    'a$',
    '$USER.x',
    '"$EMPTY"',
    '$PWD',
    '$EMPTY',
    'a$EMPTY',
    '${USER:-x}',
    '${EMPTY:-y}',
    '${EMPTY-y}',
    '${#USER}',
    '"${TEXT%words*}"',
    '"${TEXT##* }"',
    '${USER#?}',
    '${HOME##*/}',
    '${USER%%n*}',
    '"${TEXT/two/2}"',
    '${USER//n/m}',
    '$((1+1))',
    '$(( 7 / 2 * 3 + (1 - 4) % 2 ))',
    '"$((-(2+3)*4))"',
    'x$((10%4))y',
    '"$(alpha)"',
    '"$(if alpha; then echo "$(beta)"; fi)"',
  ],
  odd: [
    '$(alpha)',
    '`beta`',
    '<(alpha b)',
    '$TEXT',
    '$UNKNOWN',
    '${UNKNOWN:-x}',
    '${USER:=x}',
    '${USER:0:1}',
    '${USER/[a]/b}',
    '$1',
    '$$',
    '$((010+1))',
    '$((1--1))',
    '$((1/0))',
    '$((K1++))',
    '$((a[0]))',
    '$[1]',
    '$RANDOM',
    '$K9',
  ],
};
/** What the line itself may have set before; known only where it surely did. */
const kept = [
  '$K1',
  '"$K1"',
  '${K1}/x',
  '"$K2"',
  '$K2',
  'a"$K1"b',
  'a$K1',
  '$RC',
  '"rc=$RC"',
  '"${K1%.*}"',
  '${K2#*/}',
  '$((K1+1))',
  '"${K1:-none}"',
];
const escapes: Choice = {
  plain: ['\\a', '\\ ', 'a\\ b', '\\$HOME', "\\'", '\\"', '\\*', '\\\\', '\\;', '\\#', '\\~'],
  odd: ['\\{a,b}', 'a\\\nb', '\\\n'],
};

/** One word of a command, of any kind that shells know; `sets` tells whether the line set variables. */
export function randomWord(random: Random, calm = false, sets = false): string {
  if (sets && random.chance(30)) return random.pick(kept);
  const kind = random.below(100);
  if (kind < 40) return pickFrom(random, bare, calm);
  if (kind < 52) return singleQuoted(random);
  if (kind < 66) return doubleQuoted(random, calm);
  if (kind < 70) return pickFrom(random, ansi, calm);
  if (kind < 75) return pickFrom(random, patterns, calm);
  if (kind < 79) return pickFrom(random, braces, calm);
  if (kind < 82) return pickFrom(random, tildes, calm);
  if (kind < 89) return pickFrom(random, variables, calm);
  if (kind < 93) return pickFrom(random, escapes, calm);
  return randomWord(random, calm, sets) + randomWord(random, calm, sets);
}
