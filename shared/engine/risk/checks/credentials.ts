import { secretByName } from '../../places/by-name.ts';
import { finding } from '../finding.ts';
import type { RiskCheck } from '../finding.ts';
import { absolute } from '../paths.ts';

/** Programs that look at a name, not into the file. */
const onlyNames = new Set([
  'echo',
  'printf',
  'test',
  '[',
  'ls',
  'stat',
  'which',
  'basename',
  'dirname',
  'mkdir',
  'touch',
  'cd',
  'rmdir',
  'pwd',
  'realpath',
  'readlink',
]);
/** Options whose value is a pattern or a text, not a file. */
const noFile =
  /^--?(?:exclude|ignore|include|message|glob|iglob|pattern|regexp|name|iname|m|g|e)\b/;
/** Settings of a project, not keys of a person. */
const projectFile =
  /(?:^|\/)(?:\.env[^/]*|\.npmrc|\.pypirc|[^/]+\.pem|(?:secrets?|credentials)\.\w+|\.\w+_history)$/i;

export const checkCredentials: RiskCheck = (subject) => [
  ...throughHome(subject),
  ...inWords(subject),
];

/** Options with which a program goes through all that lies below a folder, hidden files included. */
const through: Readonly<Record<string, RegExp>> = {
  grep: /^-[A-Za-z]*[rR]|^--(?:dereference-)?recursive/,
  egrep: /^-[A-Za-z]*[rR]/,
  fgrep: /^-[A-Za-z]*[rR]/,
  rg: /^-[A-Za-z]*(?:\.|uu)|^--(?:hidden|no-ignore)|^-[A-Za-z]*u/,
  ag: /^-[A-Za-z]*[uU]|^--(?:hidden|unrestricted)/,
  cp: /^-[A-Za-z]*[rRa]|^--(?:recursive|archive)/,
  rsync: /^-[A-Za-z]*[ra]|^--(?:recursive|archive)/,
  scp: /^-[A-Za-z]*r/,
  zip: /^-[A-Za-z]*r/,
  '7z': /^a$/,
  tar: /^-?[A-Za-z]*[cru]|^--create/,
};

/** Whole homes hold keys and passwords in places that no word of the command names. */
const throughHome: RiskCheck = (subject) => {
  const { name, args, home } = subject;
  const option = Object.hasOwn(through, name) ? through[name] : undefined;
  if (option === undefined || !args.some((arg) => option.test(arg))) return [];
  const word = args.find((arg, index) => {
    if (/^-(?!C)/.test(arg) || (name === 'cp' && index === args.length - 1)) return false;
    if (!/^(?:\/|~|\.\.?(?:\/|$)|-C)/.test(arg)) return false;
    const path = absolute(arg.replace(/^-C/, ''), subject);
    return path === home || home.startsWith(path === '/' ? path : `${path}/`);
  });
  return word === undefined
    ? []
    : [
        finding(
          'credential-path',
          'high',
          `Goes through everything below ${word}, keys and passwords too.`,
          [word],
        ),
      ];
};

const inWords: RiskCheck = (subject) => {
  const { name, args, reads, writes } = subject;
  const words = onlyNames.has(name)
    ? []
    : args.filter((arg, index) => mayBeFile(arg, args[index - 1]));
  const seen = new Set<string>();
  return [...words, ...reads, ...writes].flatMap((word) => {
    const value = word.replace(/^--?[\w-]+=/, '').replace(/^@/, '');
    const path = absolute(value, subject);
    const what = secretByName(path);
    if (what === null || seen.has(path)) return [];
    seen.add(path);
    const level = projectFile.test(path) ? 'low' : 'high';
    return [finding('credential-path', level, `Touches ${path}, which ${what}.`, [word])];
  });
};

function mayBeFile(arg: string, before: string | undefined): boolean {
  if (/\s/.test(arg) || noFile.test(arg)) return false;
  return before === undefined || before.includes('=') || !noFile.test(before);
}
