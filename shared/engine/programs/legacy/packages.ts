import type { Argument } from '../types.ts';
import { carriedText, carriedWords, open, pinned, type Finding, type Judge } from './judge.ts';

interface PackageTool {
  /** Commands that run a program which the next words name. */
  readonly runs: ReadonlySet<string>;
  /** Commands of its own that run nothing named in the arguments. Others may be scripts or plug-ins. */
  readonly plain: ReadonlySet<string>;
  /** Options that choose settings, code or programs. */
  readonly risky: Pick<RegExp, 'source' | 'test'>;
  /** Options in front of the command that take an argument. */
  readonly valued?: ReadonlySet<string>;
  /** Every further word is a command as well. */
  readonly goals?: true;
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter(Boolean));

/** Settings of npm and pnpm that name code, programs or another place. */
const nodeSettings =
  `script-shell shell node-options userconfig globalconfig prefix call editor viewer
  git init-module cache registry before-script onload-script use-node-version modules-dir global-dir
  browser node-gyp python npm-path yarn-path`.split(/\s+/);

/** They take any unambiguous beginning of a name, behind one dash or two; `-C` and `-c` are short forms. */
const npmRisky = {
  source: 'nopt',
  test(text: string): boolean {
    const match = /^-+(?:no-)*([A-Za-z][A-Za-z-_]*)(?:=(.*))?$/s.exec(text);
    if (match === null) return /^-+(?:config[.=]|\/\/)/.test(text);
    const [, written = '', value] = match;
    const name = written.toLowerCase().replaceAll('_', '-');
    if (written === 'c' || written === 'C' || name === 'config') return true;
    if (name === 'ignore-scripts') return value === 'false' || text.includes('no-');
    if (name === 'reporter') return value?.startsWith('.') === true;
    return name.length > 1 && nodeSettings.some((setting) => setting.startsWith(name));
  },
};

/** `-C` of pnpm only chooses a directory; where it may lie is looked at with all the words. */
const pnpmRisky = {
  source: 'nopt',
  test: (text: string): boolean => text !== '-C' && npmRisky.test(text),
};

const nodeCommands = `access add audit bin bugs c cache ci completion ddp dedupe deprecate diff dist-tag
  docs doctor find-dupes fund help hook i info init-version install install-test it link list ll ln
  login logout ls org outdated owner pack ping pkg prefix profile prune publish query rb rebuild
  remove repo restart rm root run run-script rum s sbom search shrinkwrap star start stop t team test
  token tst un uninstall unpublish up update upgrade v version versions view whoami why why-is import
  licenses store server patch workspace workspaces build lint dev`;

/** Package managers and task runners of languages, whose commands fetch, build and run code. */
const tools: Readonly<Record<string, PackageTool>> = {
  npm: {
    runs: set('exec x explore init create innit set-script edit config c set get'),
    plain: set(nodeCommands),
    risky: npmRisky,
    valued: set('-w --workspace'),
  },
  pnpm: {
    runs: set('exec dlx create init config c node env edit patch'),
    plain: set(nodeCommands),
    risky: pnpmRisky,
    valued: set('--filter -F -C --dir'),
  },
  yarn: {
    runs: set('exec dlx create init config node policies set plugin workspaces workspace'),
    plain: set(nodeCommands),
    risky: npmRisky,
    valued: set('--cwd'),
  },
  cargo: {
    runs: set('run r rustc'),
    plain: set(
      'add b bench build c check clean clippy d doc fetch fix fmt generate-lockfile help info init locate-project metadata new owner package pkgid publish remove report rm search t test tree uninstall update vendor verify-project version yank',
    ),
    risky: /^(?:--config|-Z|\+|--open)/,
  },
  go: {
    runs: set('run generate tool env'),
    plain: set('build clean doc fix fmt get help install list mod test version vet work'),
    risky:
      /^--?(?:exec|toolexec|vettool|overlay|modfile|ldflags|gccgoflags|asmflags|gcflags|compiler|fuzzcachedir)/,
  },
  uv: {
    runs: set('run tool x'),
    plain: set(
      'add build cache export help init lock pip publish python remove self sync tree venv version',
    ),
    risky: /^(?:--(?:python|config-file|index-url|index|default-index)|-p)/,
  },
  uvx: { runs: set(''), plain: set(''), risky: /^$/ },
  poetry: {
    runs: set('run'),
    plain: set(
      'add about build cache check export help init install list lock new publish remove search show update version',
    ),
    risky: /^$/,
  },
  pipenv: {
    runs: set('run shell'),
    plain: set('check clean graph install lock sync uninstall update verify'),
    risky: /^$/,
  },
  pipx: {
    runs: set('run runpip'),
    plain: set('ensurepath inject install list reinstall uninstall upgrade'),
    risky: /^--(?:python|pip-args)/,
  },
  hatch: {
    runs: set('run shell test fmt'),
    plain: set('build clean config dep env new publish status version'),
    risky: /^$/,
  },
  rye: {
    runs: set('run'),
    plain: set('add build fetch fmt init install lint list lock pin publish remove show sync test'),
    risky: /^$/,
  },
  bundle: {
    runs: set('exec open'),
    plain: set('add check clean doctor info init install lock outdated remove show update version'),
    risky: /^--gemfile/,
  },
  gem: {
    runs: set('exec open'),
    plain: set(
      'build cleanup contents dependency environment fetch help info install list outdated push search sources spec uninstall update which',
    ),
    risky: /^--(?:config-file|install-dir)/,
  },
  mvn: {
    runs: set('exec:exec exec:java antrun:run'),
    plain: set('clean compile test package verify install site validate dependency:tree'),
    // A property can name programs; these say which tests are left out or run.
    risky:
      /^(?:-D(?!(?:(?:skipTests|skipITs|maven\.test\.skip|failIfNoTests)(?:=(?:true|false))?|(?:it\.)?test=[\w.,*#+-]+)$)|-f|--fi|-s$|--s|-gs|--global|-t$|--t|-gt|-ps|--project|-l$|--l|-emp|--encrypt)/,
    valued: set('-pl --projects -P --activate-profiles -T --threads -rf'),
    goals: true,
  },
  composer: {
    runs: set('exec run-script run'),
    plain: set(
      'about archive audit check-platform-reqs diagnose dump-autoload install licenses outdated remove require search show status update validate why',
    ),
    risky: /^--working-dir/,
  },
  brew: {
    runs: set('sh exec ruby'),
    plain: set(
      'cleanup config deps desc doctor info install leaves list outdated search uninstall update upgrade uses',
    ),
    risky: /^$/,
  },
  gh: {
    // What it is logged in with, a browser, and programs.
    runs: set('alias extension ext codespace cs config auth browse'),
    plain: set(
      'api attestation cache gist gpg-key help issue label org pr preview project release repo ruleset run search secret ssh-key status variable version workflow',
    ),
    risky: /^$/,
  },
  helm: {
    runs: set('plugin'),
    plain: set(
      'completion create dependency diff env get history install lint list package pull push repo rollback search show status template test uninstall upgrade verify version',
    ),
    risky: /^--(?:post-renderer|kubeconfig|plugins)/,
  },
  turbo: {
    runs: set('gen generate'),
    plain: set('run build test lint ls prune info'),
    risky: /^--(?:api|token|cwd)/,
  },
  terraform: {
    runs: set('console login'),
    plain: set(
      'apply destroy fmt get graph import init output plan providers refresh show state taint test validate version workspace',
    ),
    risky: /^--?(?:chdir|plugin-dir|from-module|backend-config)/,
  },
};

export const packageTools: ReadonlySet<string> = new Set(Object.keys(tools));

/** Tools that run the program which their first word names. */
export const packageRunners: ReadonlySet<string> = set('npx pnpx bunx uvx yarnpkg-dlx tox nox');

export function judgePackageTool(program: string): Judge {
  return (args): Finding => {
    const tool = tools[program];
    if (tool === undefined) return open;
    const at = commandAt(args, tool);
    const command = args[at];
    if (program === 'gh' && args.some(({ text }) => text === '--'))
      return pinned('gh hands what stands behind `--` to git');
    const own = args.slice(0, args.findIndex((arg) => arg.text === '--') + 1 || args.length);
    if (own.some(({ text }) => tool.risky.source !== '^$' && tool.risky.test(text)))
      return pinned(`an option of ${program} chooses settings, code or programs`);
    if (command === undefined)
      return program === 'yarn' || at === 0 || args.every((arg) => arg.text.startsWith('-'))
        ? open
        : pinned(`${program} runs programs`);
    if (command.live === null && tool.plain.has(command.text) && !tool.runs.has(command.text))
      return tool.goals === true ? judgeGoals(program, args.slice(at + 1), tool) : open;
    const inner = afterOptions(args.slice(at + 1));
    const why = tool.runs.has(command.text)
      ? `${program} ${command.text} runs what its arguments name`
      : `${program} ${command.text} may be a script, a plug-in or a program`;
    const words = tool.runs.has(command.text) ? inner : args.slice(at);
    // uv hands on all that follows the program; others also look for their own options behind it.
    const leading = program === 'uv' && command.text === 'run' && at === 0;
    return pinned(why, carriedWords(words), leading ? leadingOf(args, inner) : undefined);
  };
}

/** A goal that is no phase names a plug-in, which is fetched and run. */
function judgeGoals(program: string, args: readonly Argument[], tool: PackageTool): Finding {
  const strange = args.find(
    ({ text }, index) =>
      !text.startsWith('-') &&
      !tool.plain.has(text) &&
      !/^(?:-pl|--projects|-P|--activate-profiles|-T|--threads|-rf)$/.test(
        args[index - 1]?.text ?? '',
      ),
  );
  return strange === undefined
    ? open
    : pinned(`${program} ${strange.text} may fetch and run a plug-in`);
}

/** `npx`, `bunx`, `uvx`: fetch a package if need be, and run it. */
export function judgePackageRunner(program: string): Judge {
  return (args): Finding => {
    const at = args.findIndex(({ text }) => text === '-c' || text === '--call');
    const why = `${program} fetches and runs the package that its arguments name`;
    if (at !== -1) return pinned(why, carriedText(args[at + 1]?.text));
    const inner = afterOptions(args);
    const leading = /^(?:npx|bunx|uvx)$/.test(program) ? leadingOf(args, inner) : undefined;
    return pinned(why, carriedWords(inner), leading);
  };
}

/**
 * How many words lead up to and name the inner program; undefined where that is not sure. Another
 * option could take the next word as its value, and a version, a path or an address would hide from
 * the tables what the program is.
 */
function leadingOf(args: readonly Argument[], inner: readonly Argument[]): number | undefined {
  if (inner.length === 0 || inner[0]?.live !== null) return undefined;
  const count = args.length - inner.length + 1;
  const before = args.slice(0, count - 1);
  const known = before.every((arg) => arg.live === null && /^(?:run|-y|--yes)$/.test(arg.text));
  return known && /^[A-Za-z][\w-]*$/.test(inner[0].text) ? count : undefined;
}

function commandAt(args: readonly Argument[], tool: PackageTool): number {
  let at = 0;
  while (args[at]?.text.startsWith('-') === true)
    at += tool.valued?.has(args[at]?.text ?? '') === true ? 2 : 1;
  return at;
}

function afterOptions(args: readonly Argument[]): readonly Argument[] {
  let at = 0;
  for (; at < args.length; at++) {
    const text = args[at]?.text ?? '';
    if (text === '--') return args.slice(at + 1);
    if (!text.startsWith('-')) break;
    if (/^(?:-p|--package|--with|--from|-w|--spec)$/.test(text)) at++;
  }
  return args.slice(at);
}
