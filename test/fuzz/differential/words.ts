import type { Random } from '../random.ts';

/** Programs of the throw-away folder; all are the same stand-in. */
export const programs = [
  'alpha',
  'beta',
  'gamma',
  'git',
  'grep',
  'ls',
  'cat',
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

const bare =
  `a b c x1 foo bar.txt -l --all -n5 --name=value a=b path/to/file ./here ../up 0 12 -3 % @ + , . :
  a,b x:y {} {a} a{b}c a} =x x= --x={} # #x x#y ! !x x! ^ a^b é 日本 😀 - -- ] [ [] /none/such .hidden`.split(
    /\s+/,
  );

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

function doubleQuoted(random: Random): string {
  const extra = random.pick([
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
    '$UNKNOWN',
    '$(alpha)',
    '`beta`',
    '$?',
    '$TEXT',
  ]);
  return `"${random.pick(inside)}${extra}${random.pick(['', 'z', '/z'])}"`;
}

const ansi = [
  "$'a\\nb'",
  "$'\\t'",
  "$'\\x67\\x61mma'",
  "$'it\\'s'",
  "$'\\101'",
  "$'\\\\'",
  "$'a\\u0041'",
  "$'\\q'",
  "$'x\\0y'",
];
const patterns = [
  '*',
  '*.txt',
  '?.c',
  'd?/*',
  '[ab].c',
  'x[0-9]',
  './*',
  'd1/*.txt',
  '*.none',
  '.*',
  '[!a]*',
  'a*[',
  "'a'*",
  '*"."c',
  '[[:alpha:]]',
];
const braces = [
  '{a,b}',
  'x{1,2}y',
  '{1..3}',
  '{c..a}',
  '{a,{b,c}}d',
  '{a,b}{c,d}',
  '{,x}',
  'p{,.bak}',
  '{a',
  'a,b}',
  '{a,b',
  "{'x y',z}",
  '{1..3..2}',
  '$HOME/{a,b}',
  '{$USER,b}',
  '{~,x}',
];
const tildes = [
  '~',
  '~/x',
  '~/"a b"',
  '~user',
  '~+',
  'a=~/x',
  '--dir=~/x',
  'x~',
  '"~"/x',
  '~"/x"',
  'a:~/b',
];
const variables = [
  '$HOME',
  '${HOME}/x',
  '$USER',
  '$TEXT',
  '"$TEXT"',
  '$UNKNOWN',
  '${USER:-x}',
  '$1',
  '$$',
  '$?',
  '$',
  'a$',
  '$USER.x',
  '${#USER}',
  '$((1+1))',
  '$[1]',
  '$PWD',
  '$EMPTY',
  '"$EMPTY"',
  '$RANDOM',
];
const escapes = [
  '\\a',
  '\\ ',
  'a\\ b',
  '\\$HOME',
  "\\'",
  '\\"',
  '\\*',
  '\\\\',
  '\\;',
  '\\#',
  '\\~',
  '\\{a,b}',
  'a\\\nb',
  '\\\n',
];

/** One word of a command, of any kind that shells know. */
export function randomWord(random: Random): string {
  const kind = random.below(100);
  if (kind < 40) return random.pick(bare);
  if (kind < 52) return singleQuoted(random);
  if (kind < 66) return doubleQuoted(random);
  if (kind < 70) return random.pick(ansi);
  if (kind < 75) return random.pick(patterns);
  if (kind < 79) return random.pick(braces);
  if (kind < 82) return random.pick(tildes);
  if (kind < 89) return random.pick(variables);
  if (kind < 93) return random.pick(escapes);
  return randomWord(random) + randomWord(random);
}
