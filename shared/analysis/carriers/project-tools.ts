import type { Argument } from '../plan/expand.ts';
import { isBelow } from '../resolve/paths.ts';
import { open, pinned, type Finding } from './judge.ts';

/**
 * Programs that run what a project says: its scripts, tests, plug-ins and settings. A rule for one
 * of them trusts the project, so nothing of their arguments may lead out of it.
 */
export const projectTools: ReadonlySet<string> = new Set(
  `make gmake ninja cmake ctest meson just task rake gradle gradlew ant mvn cargo go npm pnpm yarn bun
  deno nx lerna rush turbo gulp grunt webpack rollup vite esbuild parcel babel swc next nuxt ng jest
  vitest mocha ava tap playwright cypress eslint prettier stylelint commitlint lint-staged biome tsc
  storybook pytest py.test tox nox mypy pylint flake8 pyright bandit pre-commit coverage ruff black
  isort yapf sphinx-build mkdocs poetry pipenv pdm hatch uv bundle rails rspec rubocop cucumber
  standardrb composer phpunit phpstan psalm pest pint rector dotnet msbuild mix rebar3 sbt lein dune
  cabal stack zig elm gleam dart flutter swift dub nimble docker docker-compose podman nerdctl
  terraform tofu terragrunt pulumi cdk serverless sam`.split(/\s+/),
);

/** Pinned when an argument of a project tool names something outside of the working directory. */
export function judgeReach(
  args: readonly Argument[],
  program: string,
  cwd: string | null,
): Finding {
  return args.some(({ text }) => reaches(text, cwd))
    ? pinned(`${program} does what files say, and an argument leads out of the project`)
    : open;
}

/** Also behind the `=` of an option or a setting, and right behind the letters of an option. */
function reaches(text: string, cwd: string | null): boolean {
  const value = text.startsWith('-')
    ? (/^-+[A-Za-z0-9_.-]*?[=:]?((?:\/|\.\.(?:\/|$)).*)$/s.exec(text)?.[1] ?? '')
    : (/^[\w.-]+=(.*)$/s.exec(text)?.[1] ?? text);
  if (/^file:/i.test(value)) return true;
  if (/(?:^|\/)\.\.(?:\/|$)/.test(value)) return !/^\.\.\.(?:\/|$)/.test(value);
  if (!value.startsWith('/') || value.startsWith('//') || value === '/dev/null') return false;
  return cwd === null || !isBelow(value, cwd);
}

/** First words by which programs start what the next words name, or change what others start. */
const starting: ReadonlySet<string> = new Set(
  `exec execute dlx eval run-script runner console shell repl ssh sh foreach forall alias runlabel try-repo
  configure`.split(/\s+/),
);

const startingOption = /^--(?:exec|execute|eval|command|cmd|app|tf-path|doctorTest)(?:=|$)/;

/** Parts of names of options whose value a program starts, loads or takes its settings from. */
const loading: ReadonlySet<string> = new Set(
  `exec execute command cmd shell pager editor browser plugin plugins preload require loader load hook
  hooks wrapper launcher filter rsh ssh renderer engine askpass script eval runner program prog
  config module interpreter agent helper viewer handler remotecmd tool runtool linker`.split(/\s+/),
);

/** For project tools without a table of their own: what they are told to start by name. */
export function judgeStarting(args: readonly Argument[], program: string): Finding {
  const option = args.find(({ text }) => startingOption.test(text));
  const words = args.map(({ text }) => text).filter((text) => !text.startsWith('-'));
  const word = option?.text ?? words.slice(0, 3).find((text) => starting.has(text));
  return word === undefined ? open : pinned(`${program} ${word} starts what its arguments name`);
}

/** For programs of which nothing is known: an option whose name says that it starts or loads. */
export function judgeUnknown(args: readonly Argument[], program: string): Finding {
  for (const { text } of args) {
    if (text === '--') break;
    const name = /^--?([A-Za-z][\w-]+)/.exec(text)?.[1];
    if (
      name === undefined ||
      (!text.startsWith('--') && !/^-[a-z-]{4,}$/.test(text.split('=')[0] ?? ''))
    )
      continue;
    if (
      name
        .toLowerCase()
        .split(/[-_]/)
        .some((part) => loading.has(part))
    )
      return pinned(
        `${text.split('=', 1)[0]} of ${program} seems to name something that it starts or loads`,
      );
  }
  return judgeStarting(args, program);
}
