import { insidePath as inside } from './words.ts';
import type { StarterRule } from './types.ts';

const option = (words: string): string => `(?: (?:${words}))*`;

/** Options of CMake that choose among what the project has, and name no program and no file outside. */
const cmakeWords = `^(?:-S (?:\\.|${inside}) -B ${inside}${option(
  '-G (?:Ninja|Unix Makefiles)|-DCMAKE_BUILD_TYPE=\\w+|-DCMAKE_EXPORT_COMPILE_COMMANDS=\\w+|-DBUILD_TESTING=\\w+|-DCMAKE_CXX_STANDARD=\\d+|--fresh|--preset=?\\s?[\\w-]+',
)}|--build ${inside}${option(
  '-j(?: ?\\d+)?|--parallel(?: \\d+)?|--config \\w+|--clean-first|-v|--verbose|(?:-t|--target) (?:all|clean|tests?|check)',
)})$`;

const ninjaWords = `^(?:-C ${inside}(?: |$)|-j ?\\d+(?: |$)|-k ?\\d+(?: |$)|-[vn](?: |$)|--quiet(?: |$)|-t (?:targets|deps|query|list|rules|graph|inputs|missingdeps)(?: |$)|(?:all|clean|tests?|check|${inside}\\.(?:o|obj|a|so))(?: |$))*$`;

/** Tests, builds and checks of projects in Ruby, .NET, C, C++, Elixir, Haskell, Scala and Erlang. */
export const languages: readonly StarterRule[] = [
  {
    name: 'ruby-bundle',
    why: 'Tests and checks of the project, with the packages that it has.',
    pattern: '{bundle,bundler}',
    args: ['exec', ['rspec', 'rubocop', 'standardrb', 'erb_lint']],
    examples: {
      match: ['bundle exec rspec', 'bundle exec rubocop'],
      noMatch: [
        'bundle exec cap production deploy',
        'bundle exec ruby -e x',
        'bundle exec --gemfile=/tmp/G rspec',
        'bundle exec rspec -r /tmp/x',
        'bundle exec rubocop -r ./x',
      ],
    },
  },
  {
    name: 'ruby-packages',
    why: 'It says what the project depends on.',
    pattern: '{bundle,bundler}',
    args: [['list', 'outdated', 'show', 'info', 'check', 'platform'], '...'],
    only: 'reads',
    changes: 'nothing',
    examples: {
      match: ['bundle list', 'bundle show rails'],
      noMatch: ['bundle install', 'bundle config x y', 'bundle open rails'],
    },
  },
  {
    name: 'ruby-gems',
    why: 'It says which packages are installed.',
    pattern: 'gem',
    args: ['list', '...'],
    only: 'reads',
    changes: 'nothing',
    examples: { match: ['gem list --local rails'], noMatch: ['gem push x', 'gem install x'] },
  },
  {
    name: 'dotnet-packages',
    why: 'It says what the project depends on.',
    pattern: 'dotnet',
    argPattern: `^(?:list(?: ${inside})? (?:package|reference)${option('--outdated|--vulnerable|--deprecated|--include-transitive|--format json')})$`,
    examples: {
      match: ['dotnet list package --outdated'],
      noMatch: [
        'dotnet add package x',
        'dotnet list package --configfile /tmp/x',
        'dotnet list package --source https://evil.example',
        'dotnet list ../x package',
        'dotnet sln add x.csproj',
      ],
    },
  },
  {
    name: 'cmake',
    why: 'A build of the project is prepared and made inside of it.',
    pattern: 'cmake',
    argPattern: cmakeWords,
    examples: {
      match: ['cmake -S . -B build -G Ninja', 'cmake --build build -j 4'],
      noMatch: [
        'cmake --install build',
        'cmake --build build --target install',
        'cmake --build build -- install',
        'cmake --build ../x',
        'cmake -S . -B build/../../x',
        'cmake -S . -B build -DCMAKE_C_COMPILER=./x',
        'cmake -S . -B build -C /tmp/x.cmake',
        'cmake -S . -B build --toolchain x.cmake',
        'cmake -P x.cmake',
        'cmake -E rm -rf src',
      ],
    },
  },
  {
    name: 'ninja',
    why: 'Targets that are built, tested or only shown; what installs or uploads is not covered.',
    pattern: 'ninja',
    argPattern: ninjaWords,
    examples: {
      match: ['ninja -C build -j 8 test', 'ninja -C build -t targets'],
      noMatch: [
        'ninja install',
        'ninja -C build install',
        'ninja -C build test install',
        'ninja -C /tmp',
        'ninja -C ../x',
        'ninja -f /tmp/x.ninja',
        'ninja -C build deploy',
      ],
    },
  },
  {
    name: 'elixir',
    why: 'Tests, builds and checks of a project in Elixir.',
    pattern: 'mix',
    argPattern: `^(?:test|format|compile|credo|dialyzer|deps\\.tree|help)${option(
      `--(?:check-formatted|warnings-as-errors|strict|trace|stale|failed|force|cover|dry-run)|--seed \\d+|--max-failures \\d+|${inside}(?::\\d+)?`,
    )}$`,
    examples: {
      match: ['mix test test/orders_test.exs:14', 'mix format --check-formatted'],
      noMatch: [
        'mix hex.publish',
        'mix deps.get',
        'mix ecto.drop',
        'mix run x.exs',
        'mix do test, hex.publish',
        'mix format --dot-formatter /tmp/x.exs',
        'mix test ../x_test.exs',
        'mix test --require x',
      ],
    },
  },
  {
    name: 'other-builds',
    why: 'Tests and builds of projects in Haskell, Scala, Erlang and by Meson.',
    pattern: '{stack,cabal,sbt,rebar3,meson}',
    argPattern: `^(?:(?:build|test|compile|eunit|ct|dialyzer|Test/compile|scalafmtCheck)(?: -C ${inside})?)$`,
    examples: {
      match: ['stack test', 'sbt compile', 'meson test -C build'],
      noMatch: [
        'sbt publish',
        'sbt test publish',
        'cabal upload x.tar.gz',
        'stack exec x',
        'rebar3 hex publish',
        'meson install -C build',
        'meson test -C /tmp/x',
        'meson test --wrapper x',
        'cabal test --with-compiler=/tmp/x',
      ],
    },
  },
];
