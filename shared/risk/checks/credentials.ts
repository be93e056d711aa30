import { finding } from '../finding.ts';
import type { RiskCheck } from '../finding.ts';
import { credentialPath } from '../credential-paths.ts';
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
/** Cheap look before the table: every place has one of these in its path. */
const worthALook = /\.|id_|secret|credential|\/etc\/|\/proc\/|Keychains/i;
/** Settings of a project, not keys of a person. */
const projectFile =
  /(?:^|\/)(?:\.env[^/]*|\.npmrc|\.pypirc|[^/]+\.pem|(?:secrets?|credentials)\.\w+|\.\w+_history)$/i;

export const checkCredentials: RiskCheck = (subject) => {
  const { name, args, reads, writes } = subject;
  const words = onlyNames.has(name)
    ? []
    : args.filter((arg, index) => mayBeFile(arg, args[index - 1]));
  const seen = new Set<string>();
  return [...words, ...reads, ...writes].flatMap((word) => {
    const value = word.replace(/^--?[\w-]+=/, '').replace(/^@/, '');
    if (!worthALook.test(value)) return [];
    const path = absolute(value, subject);
    const what = credentialPath(path);
    if (what === null || seen.has(path)) return [];
    seen.add(path);
    const level = projectFile.test(path) ? 'low' : 'high';
    return [finding('credential-path', level, `Touches ${path}: ${what}.`, [word])];
  });
};

function mayBeFile(arg: string, before: string | undefined): boolean {
  if (/\s/.test(arg) || noFile.test(arg)) return false;
  return before === undefined || before.includes('=') || !noFile.test(before);
}
