import { insidePath as inside, scripts } from './words.ts';
import type { StarterRule } from './types.ts';

const option = (words: string): string => `(?: (?:${words}))*`;

/** A word for a test, a target, a tag or a name of code. */
const name = '[A-Za-z_][\\w.:~*-]*';

const mixTask = `(?:test|compile|format|credo|dialyzer)${option(
  `--(?:check-formatted|warnings-as-errors|strict|trace|stale|failed|force|cover|dry-run|all|profile|no-start)|--(?:seed|max-failures|slowest|max-cases) \\d+|--(?:only|include|exclude|format) [\\w:.@-]+|${inside}(?::\\d+)?`,
)}`;

/** A number of words that Mix makes code of: fields, types, names. */
const mixNames = '(?: [A-Za-z_][\\w.:]*)+';

/** What is built of a project for .NET, and where in it that goes. */
const dotnetOptions = option(
  `${inside}|-c \\w+|--configuration \\w+|-f [\\w.]+|--framework [\\w.]+|-r [\\w.-]+|--runtime [\\w.-]+|-v \\w+|--verbosity \\w+|-o ${inside}|--output ${inside}|--no-restore|--no-build|--nologo|--self-contained(?: (?:true|false))?|--no-self-contained`,
);

const efOptions = option(
  `-[ps] ${inside}|--(?:project|startup-project) ${inside}|--(?:context|configuration|framework) [\\w.]+|-c [\\w.]+|--no-build|--json|-v|--verbose|--prefix-output|--no-color`,
);

/** Tests, builds and checks through the consoles of further frameworks. */
export const frameworks: readonly StarterRule[] = [
  {
    name: 'elixir-words',
    why: 'Tests, builds, checks and lists of a project in Elixir, code that is made from words, and its server on this machine.',
    pattern: 'mix',
    argPattern: `^(?:do ${mixTask}(?: \\+ ${mixTask})*|${mixTask}|deps|ecto\\.migrations|phx\\.routes|phx\\.server|hex\\.(?:outdated|audit)|app\\.tree|compile\\.(?:all|app|elixir|erlang|protocols)|ecto\\.gen\\.migration ${name}|phx\\.gen\\.(?:schema|context|html|json|live|channel|socket)${mixNames})$`,
    examples: {
      match: [
        'mix test --only slow',
        'mix do compile --force + test',
        'mix phx.gen.schema Chat.Topic topics name:string',
      ],
      noMatch: [
        'mix hex.publish',
        'mix deps.get',
        'mix ecto.migrate',
        'mix ecto.drop',
        'mix phx.gen.secret',
        'mix do test + hex.publish',
        'mix run -e x',
        'mix archive.install hex x',
        'mix test --require x',
        'mix test ../x_test.exs',
      ],
    },
  },
  {
    name: 'dotnet-words',
    why: 'What a project for .NET is made of, its builds into a folder of it, and its own programs.',
    pattern: 'dotnet',
    argPattern: `^(?:(?:clean|publish|pack)${dotnetOptions}|sln list|tool list(?: -g| --global)?|new list|new (?:classlib|console|xunit|nunit|mstest|webapi|mvc|web|worker|razor|gitignore|editorconfig|globaljson|sln)(?: (?:-n|--name) [\\w.]+| (?:-o|--output) ${inside}| --framework [\\w.]+)*|--info|--list-sdks|--list-runtimes)$`,
    examples: {
      match: ['dotnet publish src/A -c Release -o out', 'dotnet clean -v q', 'dotnet sln list'],
      noMatch: [
        'dotnet nuget push x.nupkg',
        'dotnet add package x',
        'dotnet publish -p:PublishProfile=x',
        'dotnet publish -o /srv/www',
        'dotnet publish -t:Deploy',
        'dotnet new install x',
        'dotnet tool install -g x',
        'dotnet sln add ../x.csproj',
        'dotnet pack -o ../x',
      ],
    },
  },
  {
    name: 'dotnet-runs',
    why: 'A program of the project runs.',
    pattern: 'dotnet',
    args: ['run', '...'],
    argPattern: `^run(?: (?:--project ${inside}|--no-build|--no-restore|--no-launch-profile|--launch-profile \\w+|-c \\w+|--configuration \\w+|-f [\\w.]+|--urls http://localhost:\\d+))*(?: -- (?:--help|--version|-h|help|version))?$`,
    changes: 'project',
    examples: {
      match: ['dotnet run --project src/Cli -- --help'],
      noMatch: [
        'dotnet run --project /tmp/x',
        'dotnet run -- deploy',
        'dotnet run --property:X=Y',
        'dotnet run --urls http://0.0.0.0:80',
      ],
    },
  },
  {
    name: 'dotnet-migrations',
    why: 'Steps of a database are listed, written as code or shown as SQL; no database is changed.',
    pattern: 'dotnet',
    argPattern: `^ef (?:migrations (?:list|has-pending-model-changes|add ${name}|script(?: --idempotent)?)|dbcontext (?:list|info))${efOptions}$`,
    examples: {
      match: ['dotnet ef migrations add AddPaidAt -p src/Data -s src/Api'],
      noMatch: [
        'dotnet ef database update',
        'dotnet ef database drop --force',
        'dotnet ef migrations script -o /srv/x.sql',
        'dotnet ef migrations list -p /tmp/x',
        'dotnet ef migrations list --connection x',
      ],
    },
  },
  {
    name: 'zephyr',
    why: 'An image for a board is built, tested here or measured; no board is touched and nothing is fetched.',
    pattern: 'west',
    argPattern: `^(?:list|topdir|boards|--version|-V|manifest --(?:validate|path)|build(?: (?:-b [\\w./@-]+|--board [\\w./@-]+|-d ${inside}|--build-dir ${inside}|-p(?: (?:auto|always|never))?|--pristine(?:=\\w+)?|--sysbuild|-t (?:rom_report|ram_report|footprint|run|clean|pristine|help|traceconfig|hardenconfig|dts)|-c|-n|-v|\\.|${inside}))*|twister(?: (?:-T ${inside}|-p [\\w./-]+|-s [\\w./-]+|-t [\\w-]+|--tag [\\w-]+|--inline-logs|-v|-i|-n|--integration|--build-only|-b))*)$`,
    examples: {
      match: ['west build -b nrf52840dk/nrf52840 .', 'west twister -T tests -p native_sim'],
      noMatch: [
        'west flash',
        'west debug',
        'west update',
        'west build -t flash',
        'west build -d /tmp/x',
        'west build ../x',
        'west build . -- -DCMAKE_C_COMPILER=./x',
        'west twister --device-testing --device-serial /dev/ttyACM0',
        'west config x y',
        'west -z /tmp/x build',
      ],
    },
  },
  {
    name: 'ruby-checks',
    why: 'Further checks of a project in Ruby, as it has them.',
    pattern: '{bundle,bundler}',
    args: [
      'exec',
      [
        ...'standardrb erblint erb_lint haml-lint slim-lint reek brakeman bundle-audit sorbet srb steep'.split(
          ' ',
        ),
        ...'i18n-tasks rake'.split(' '),
      ],
      '...',
    ],
    argPattern: `^exec (?:(?:standardrb|erblint|erb_lint|haml-lint|slim-lint|reek|brakeman|bundle-audit check|bundle-audit)${option(
      `${inside}|--(?:fix|lint-all|autocorrect|format \\w+|no-pager|quiet)|-[aqz]`,
    )}|(?:sorbet|srb) tc|steep (?:check|stats)|i18n-tasks (?:health|missing|unused|find|check-normalized|check-consistent-interpolations)|rake (?:routes|about|stats|notes|time:zones))$`,
    examples: {
      match: ['bundle exec erblint --lint-all', 'bundle exec srb tc', 'bundle exec rake routes'],
      noMatch: [
        'bundle exec rake db:drop',
        'bundle exec srb rbi update',
        'bundle exec cap production deploy',
        'bundle exec erblint --config /tmp/x.yml',
        'bundle exec reek -c /tmp/x',
        'bundle exec i18n-tasks translate-missing',
      ],
    },
  },
  {
    name: 'ruby-checks-alone',
    why: 'The same without Bundler.',
    pattern: '{brakeman,standardrb,erblint,erb_lint,haml-lint,slim-lint,reek}',
    argPattern: `^(?:(?:${inside}|--(?:fix|lint-all|autocorrect|no-pager|quiet|format \\w+)|-[aqzA])(?: |$))*$`,
    examples: {
      match: ['brakeman -q -z --no-pager', 'standardrb --fix'],
      noMatch: ['brakeman -o /tmp/x', 'brakeman -c x.yml', 'standardrb -r ./x', 'reek -c /tmp/x'],
    },
  },
  {
    name: 'translations-in-ruby',
    why: 'It says which texts are not translated, or no longer used.',
    pattern: 'i18n-tasks',
    args: [['health', 'missing', 'unused', 'check-normalized']],
    examples: { match: ['i18n-tasks missing'], noMatch: ['i18n-tasks translate-missing'] },
  },
  {
    name: 'go-inside',
    why: 'What Go measured, and what it built, is shown.',
    pattern: 'go',
    argPattern: `^tool (?:cover -(?:func|html)=[\\w./-]+(?: -o ${inside})?|nm(?: -(?:n|size|type|sort \\w+))*(?: ${inside})|objdump(?: -(?:S|gnu)| -s [\\w.^$*-]+)* ${inside}|addr2line ${inside}|buildid ${inside}|dist list|pprof -(?:top|text|peek=[\\w.]+|list=[\\w.]+)(?: -(?:cum|flat|nodecount=\\d+|sample_index=\\w+|unit=\\w+))* (?:/tmp/)?${inside})$`,
    examples: {
      match: ['go tool cover -func=cover.out'],
      noMatch: [
        'go tool pprof -http=:8080 cpu.prof',
        'go tool pprof http://evil.example/x',
        'go tool pprof -top -tools=/tmp/x cpu.prof',
        'go tool evil',
        'go tool cover -html=c.out -o /srv/x.html',
      ],
    },
  },
  {
    name: 'compilers',
    why: 'Files of the project are compiled into it, or only looked at; options that name programs, plug-ins or lists of options are not covered.',
    pattern: '{gcc,g++,cc,c++,clang,clang++}',
    argPattern: `^(?:(?:-std=[\\w+]+|-O[0-3sgz]?|-g[0-3]?|-[cS]|-W(?:[a-z][a-z-]*)|-f(?:syntax-only|sanitize=[\\w,]+|no-[\\w-]+|PIC|pic|exceptions|rtti|color-diagnostics|diagnostics-color(?:=\\w+)?)|-m(?:arch|cpu|tune)=[\\w.-]+|-pthread|-static|-shared|-D\\w+(?:=\\w*)?|-I ?${inside}|-I\\.|-L ?${inside}|-l(?:m|pthread|stdc\\+\\+|gtest|gtest_main|dl|rt|z)|-o ${inside}|${inside})(?: |$))+$`,
    examples: {
      match: ['gcc -O2 -Wall src/a.c -o build/a'],
      noMatch: [
        'gcc -wrapper ./x a.c',
        'gcc -fplugin=./x.so a.c',
        'gcc -B/tmp a.c',
        'gcc -specs=x a.c',
        'gcc @words',
        'gcc a.c -o /usr/local/bin/a',
        'gcc -Wl,-rpath,/tmp a.c',
        'gcc -Wp,-MD,/tmp/x a.c',
        'clang -Xclang -load a.c',
        'gcc -include /etc/shadow a.c',
        'gcc /etc/shadow',
        'gcc -E src/a.c',
        'gcc -x c -',
        'gcc -',
      ],
    },
  },
  {
    name: 'checks-of-c',
    why: 'Source text in C and C++ is checked.',
    pattern: 'cppcheck',
    argPattern: `^(?:(?:--enable=[\\w,]+|--quiet|-q|--std=[\\w+]+|--language=\\S+|--inline-suppr|--error-exitcode=\\d+|--force|-j ?\\d+|-I ?${inside}|-D\\w+|--suppress=[\\w:]+|${inside})(?: |$))+$`,
    examples: {
      match: ['cppcheck --enable=warning --quiet src'],
      noMatch: [
        'cppcheck --addon=x.py src',
        'cppcheck --project=/tmp/x.json',
        'cppcheck --dump src --plist-output=/tmp',
        'cppcheck /etc',
      ],
    },
  },
  {
    name: 'make-several',
    why: 'Several recipes of the project with such names, in it or in a folder of it.',
    pattern: 'make',
    argPattern: `^(?:(?:-C ${inside}|-j ?\\d*|-[skBn]|--silent|--no-print-directory|--keep-going|V=[01]|VERBOSE=1|help|all|clean|docs|bench|${scripts.join('|')}|(?:test|check|lint|build)[-_](?:unit|integration|e2e|fast|all|race|cover(?:age)?|debug|release|types?|format|fmt|docs|js|py|go|rust|web|api|ui|client|server|frontend|backend))(?: |$))+$`,
    examples: {
      match: ['make build test lint', 'make -C build -j8 test', 'make help'],
      noMatch: [
        'make test install',
        'make -C /tmp test',
        'make -C ../x test',
        'make -f x test',
        'make test SHELL=./x',
        'make deploy',
        'make build-and-deploy',
        'make test docs_publish',
        'make clean-db',
        'make build -C ~',
      ],
    },
  },
];
