import { laterByName, secretByName } from '../../places/by-name.ts';
import { writtenPath } from '../../programs/effects.ts';
import { recordOf } from '../../programs/list.ts';
import type { Effect, PathUse } from '../../programs/types.ts';
import { finding } from '../finding.ts';
import type { RiskCheck, RoughFinding } from '../finding.ts';
import { absolute } from '../paths.ts';
import type { RiskSubject } from '../subject.ts';

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

/** Builtins that run what they are given; the others look into no file. */
const runsFiles = /^(?:\.|source|eval|exec|command|builtin)$/;

/** Whether only names are looked at. */
function looksAtNames({ name, builtin }: RiskSubject): boolean {
  return builtin ? !runsFiles.test(name) : recordOf(name)?.onlyNames === true;
}

/** What it finds it may hand to a program that looks in. */
function handsOn({ name }: RiskSubject): boolean {
  return recordOf(name)?.runs !== undefined;
}

/** Whole homes hold keys and passwords in places that no word of the command names. */
function throughHome(subject: RiskSubject): readonly RoughFinding[] {
  const { reading, args, home } = subject;
  if (reading === null || looksAtNames(subject)) return [];
  const effect = reading.effects.find((one) => {
    if (one.kind !== 'path' || one.use !== 'reads' || one.tree !== true || one.some === true)
      return false;
    if (one.live === true || !/^(?:\/|~|\.\.?(?:\/|$))/.test(one.path)) return false;
    const path = absolute(writtenPath(one), subject);
    return path === home || home.startsWith(path === '/' ? path : `${path}/`);
  });
  if (effect?.kind !== 'path') return [];
  const text = `Goes through everything below ${effect.path}, keys and passwords too.`;
  return [finding('credential-path', 'high', text, args.slice(effect.word, effect.word + 1))];
}

function inWords(subject: RiskSubject): readonly RoughFinding[] {
  const { args, reads, writes } = subject;
  const words =
    looksAtNames(subject) && !handsOn(subject)
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
}

function mayBeFile(arg: string, before: string | undefined): boolean {
  if (/\s/.test(arg) || noFile.test(arg)) return false;
  return before === undefined || before.includes('=') || !noFile.test(before);
}

const changing: readonly PathUse[] = ['writes', 'edits', 'into'];

function changed({ reading, writes }: RiskSubject, uses: readonly PathUse[]): readonly string[] {
  const named = (reading?.effects ?? []).filter(
    (one): one is Extract<Effect, { kind: 'path' }> =>
      one.kind === 'path' && uses.includes(one.use),
  );
  return [...new Set([...writes, ...named.map(writtenPath)])];
}

export const checkPersistence: RiskCheck = (subject) => [
  ...changed(subject, changing).flatMap((word) => written(word, subject)),
  ...[...new Set(namedByOthers(subject))].flatMap((word) => laterRun(word, subject)),
];

/** A program of which nothing is known may write what it is told to name: `prog -oF`, `prog --out=F`. */
function namedByOthers({ name, args, reading, builtin }: RiskSubject): readonly string[] {
  if (reading !== null || (builtin && !/^(?:eval|exec|command|builtin)$/.test(name))) return [];
  return args.flatMap((arg) =>
    arg.startsWith('-') ? (/^-[^/~]*?=?((?:\/|~\/|\.[\w.-]+\/).*)$/s.exec(arg)?.[1] ?? []) : arg,
  );
}

function laterRun(word: string, subject: RiskSubject): readonly RoughFinding[] {
  const path = absolute(word, subject);
  const when = laterByName(path);
  return when === null
    ? []
    : [finding('persistence', 'high', `Changes ${path}, which ${when}.`, [word])];
}

/** Files of a project that name commands: whoever allows its tools runs what stands in them. */
const recipes =
  /\/(?:package\.json|[Mm]akefile|GNUmakefile|justfile|Taskfile\.ya?ml|Rakefile|build\.rs|setup\.py|conftest\.py|CMakeLists\.txt|build\.gradle(?:\.kts)?|pom\.xml|Jenkinsfile|\.gitlab-ci\.yml)$|\/\.github\/workflows\/[^/]+$/;

/** What surely is written, by a redirection or as the target of a program that writes. */
function written(word: string, subject: RiskSubject): readonly RoughFinding[] {
  const known = laterRun(word, subject);
  if (known.length > 0) return known;
  const path = absolute(word, subject);
  const text = `Changes ${path}, which names what later commands run.`;
  return recipes.test(path) ? [finding('persistence', 'low', text, [word])] : [];
}

const device = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|loop|md|dm-|mapper\/|sr\d)/;

/** A whole disk in the place of a file. */
export const checkDisk: RiskCheck = (subject) =>
  changed(subject, [...changing, 'deletes'])
    .filter((target) => device.test(target))
    .map((target) => finding('disk-write', 'high', `Writes over the disk ${target}.`, [target]));
