import { laterByName } from '../../places/by-name.ts';
import { writtenPath } from '../../programs/effects.ts';
import type { PathUse, Reading } from '../../programs/types.ts';
import { finding } from '../finding.ts';
import type { RiskCheck, RoughFinding } from '../finding.ts';
import { hasOption, operands } from '../options.ts';
import { absolute } from '../paths.ts';
import type { RiskSubject } from '../subject.ts';

/** Programs that change the files that they are given. */
const writers = new Set([
  'tee',
  'cp',
  'mv',
  'ln',
  'install',
  'rsync',
  'scp',
  'sponge',
  'touch',
  'truncate',
  'patch',
  'ed',
  'vi',
  'vim',
  'nano',
  'ex',
]);

export const checkPersistence: RiskCheck = (subject) => [
  ...[...new Set([...subject.writes, ...writtenOperands(subject)])].flatMap((word) =>
    written(word, subject),
  ),
  ...[...new Set(namedByOthers(subject))].flatMap((word) => laterRun(word, subject)),
  ...schedulers(subject),
];

function writtenOperands({ name, args, reading }: RiskSubject): readonly string[] {
  if (reading !== null) return pathsOf(reading, ['writes', 'edits', 'into']);
  if (writers.has(name)) {
    const files = operands(args);
    return ['cp', 'mv', 'ln', 'install', 'rsync', 'scp'].includes(name) ? files.slice(-1) : files;
  }
  return name === 'dd'
    ? args.filter((arg) => arg.startsWith('of=')).map((arg) => arg.slice(3))
    : [];
}

function pathsOf(reading: Reading, uses: readonly PathUse[]): readonly string[] {
  return reading.effects.flatMap((effect) =>
    effect.kind === 'path' && uses.includes(effect.use) ? [writtenPath(effect)] : [],
  );
}

/** They only look at the files that they are given, or keep a history of them. */
const lookers = new Set(
  `cat head tail wc nl cut uniq tr diff cmp comm join paste stat file du ls tree readlink realpath
  basename dirname md5sum sha256sum hexdump od xxd strings grep egrep fgrep rg ag ack find fd jq less
  more bat batcat awk sed test [ echo printf shellcheck rm unlink source . cd chmod chown git
  bash sh zsh`.split(/\s+/),
);

/** Any other program may write what it is told to name: `sort -o F`, `curl -sSfo F`, `tar --index-file=F`. */
function namedByOthers({ name, args, reading }: RiskSubject): readonly string[] {
  if (reading !== null || writers.has(name) || lookers.has(name)) return [];
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
  return recipes.test(path)
    ? [
        finding('persistence', 'low', `Changes ${path}, which names what later commands run.`, [
          word,
        ]),
      ]
    : [];
}

function schedulers({ name, args }: RiskSubject): readonly RoughFinding[] {
  const words = operands(args);
  const later = (text: string) => [finding('persistence', 'high', text, words.slice(0, 1))];
  switch (name) {
    case 'crontab':
      return hasOption(args, 'l') ? [] : later('Changes what runs again and again.');
    case 'at':
    case 'batch':
      return hasOption(args, 'lcdr') ? [] : later('Has something run later.');
    case 'systemctl':
      return /^(?:enable|link|edit|reenable)$/.test(words[0] ?? '')
        ? later('Has a service start by itself.')
        : [];
    case 'launchctl':
      return /^(?:load|bootstrap|enable|submit)$/.test(words[0] ?? '')
        ? later('Has a service start by itself.')
        : [];
    case 'npm':
    case 'pnpm':
    case 'yarn':
      return scriptShell(args);
    case 'ssh-copy-id':
      return later('Lets a key into another machine.');
    default:
      return [];
  }
}

/** Settings of a package manager that name what it starts at the next script. */
function scriptShell(args: readonly string[]): readonly RoughFinding[] {
  const words = operands(args);
  const sets = /^(?:set|config|c)$/.test(words[0] ?? '');
  const key = words.find((word) =>
    /^(?:script-shell|shell|node-options|node-gyp|python|git|editor|viewer|browser|init-module|prefix|ignore-scripts|(?:@[^:]+:)?registry|yarn-?path|plugins)(?:=|$)/i.test(
      word,
    ),
  );
  return sets && key !== undefined && !/^(?:get|list|ls)$/.test(words[1] ?? '')
    ? [finding('persistence', 'high', `Sets ${key}, which decides what later commands run.`, [key])]
    : [];
}
