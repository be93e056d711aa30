import { localGit } from './local-git.ts';
import { consoles, heldPrograms } from './held.ts';
import { forAWhile, gradleWords, mavenWords, scripts } from './words.ts';
import { infrastructure } from './infrastructure.ts';
import { languages } from './languages.ts';
import { nodeProject } from './node.ts';
import { interpreted } from './interpreted.ts';
import { frameworks } from './frameworks.ts';
import { toolchains } from './toolchains.ts';
import type { StarterSet } from './types.ts';

/** A server on this machine is asked for a page: nothing is sent, nothing followed, nothing kept. */
const localRequest =
  '^(?:(?:-[sSfIivk]+|--silent|--show-error|--fail|--fail-with-body|--head|--include|--verbose|--compressed|(?:-m|--max-time|--connect-timeout|--retry|--retry-delay) \\d+|--retry-connrefused|--retry-all-errors|-[sSf]*o /dev/null|(?:-H|--header) (?:Accept|Accept-Language|Content-Type): ?[\\w./*+;=,-]+|(?:-w|--write-out) [^@\\s-][^\\s]*(?: [\\w:=.]*%\\{\\w+\\}[\\w:=.\\\\]*)*|(?:https?://)?(?:localhost|127\\.0\\.0\\.1|\\[::1\\])(?::\\d{1,5})?(?:[/?][\\w./?&=%,:~+-]*)?)(?: |$))+$';

/** Work on this project: its own tools, local Git, and edits inside of it. */
export const project: StarterSet = {
  name: 'project',
  version: 10,
  title: 'Work on this project',
  says: 'Its tests, builds, linters and formatters, Git on this machine, and edits inside of it. An agent that edits tests and runs them runs code of its own: the sandbox bounds what that can reach.',
  needs: ['look-around'],
  rules: [
    {
      name: 'edits',
      why: 'The agent changes files of the project with its own tools.',
      kind: 'edit',
      pattern: '{project}/**',
      changes: 'project',
      examples: {
        match: ['{project}/src/a.ts'],
        noMatch: ['/etc/hosts', '{project}/.git/config', '{project}/.env', '~/.bashrc'],
      },
    },
    {
      name: 'writes',
      why: 'Text goes into files of the project.',
      pattern:
        '{echo,printf,cat,tee,head,tail,cut,sort,uniq,tr,diff,ls,grep,rg,jq,wc,awk,date,md5sum,sha1sum,sha256sum,gzip,comm,paste,join,column,nl,fold,tac,rev,seq,du,stat,strings}',
      changes: 'project',
      examples: {
        match: ['echo x > {project}/a.txt', 'cat a.txt > {project}/b.txt'],
        noMatch: ['echo x > /etc/hosts', 'echo x > {project}/.git/config', 'tee ~/.bashrc'],
      },
    },
    {
      name: 'files',
      why: 'Files and folders of the project are made, copied and moved.',
      pattern: '{mkdir,touch,cp,mv}',
      changes: 'project',
      examples: {
        match: ['mkdir -p {project}/src', 'cp {project}/a.txt {project}/b.txt'],
        noMatch: ['cp a.txt ~/.bashrc', 'mv {project}/a.txt /etc/a', 'cp a {project}/.git/hooks/x'],
      },
    },
    {
      name: 'temporary-goes',
      why: 'Texts and data in /tmp are deleted, one by one.',
      pattern: 'rm',
      argPattern: `^(?:-f )?(?:/tmp/\\w[\\w.-]*\\.(?:${forAWhile.join('|')})(?: |$))+$`,
      changes: 'project',
      examples: {
        match: ['rm -f /tmp/a.log /tmp/b.json'],
        noMatch: [
          'rm /tmp/x',
          'rm -r /tmp/x.log',
          'rm /tmp/../a.log',
          'rm /tmp/x/a.log',
          'rm /tmp/*.log',
        ],
      },
    },
    {
      name: 'sed-edits',
      why: 'Lines of files of the project are replaced or printed.',
      pattern: 'sed',
      changes: 'project',
      examples: {
        match: ['sed -i s/a/b/ {project}/a.txt', "sed 's/a/b/' a.txt"],
        noMatch: ['sed -i s/a/b/ ~/.bashrc', "sed 's/a/x/e' a.txt"],
      },
    },
    ...nodeProject,
    ...consoles,
    ...heldPrograms,
    {
      name: 'composer',
      why: 'Scripts of the project that are named like a test or a check, and what it depends on.',
      pattern: 'composer',
      args: [
        [
          ...'test lint check analyse analyze stan phpstan phpunit cs cs-check format pint'.split(
            ' ',
          ),
          ...'show outdated validate why why-not depends licenses audit status check-platform-reqs'.split(
            ' ',
          ),
          ...'dump-autoload dumpautoload'.split(' '),
        ],
        '...',
      ],
      examples: {
        match: ['composer show', 'composer validate'],
        noMatch: [
          'composer install',
          'composer require x',
          'composer global show',
          'composer exec x',
        ],
      },
    },
    ...infrastructure,
    ...languages,
    ...toolchains,
    ...interpreted,
    ...frameworks,
    {
      name: 'npx-browser-tests',
      why: 'Tests in a browser that is there already.',
      pattern: '{npx,bunx}',
      args: ['playwright', 'test', '...'],
      examples: { match: ['npx playwright test'], noMatch: ['npx playwright install'] },
    },
    {
      name: 'python-tools',
      why: 'Tools for tests, types and style.',
      pattern: '{pytest,ruff,mypy,black,isort,flake8,pylint,pyright,coverage,tox,nox}',
      examples: { match: ['pytest -q', 'ruff check .'], noMatch: ['pytest -p x', 'python3 a.py'] },
    },
    {
      name: 'python-modules',
      why: 'The same as modules of Python.',
      pattern: '{python,python3}',
      args: [
        '-m',
        ['pytest', 'unittest', 'ruff', 'mypy', 'black', 'isort', 'flake8', 'pylint', 'coverage'],
        '...',
      ],
      examples: {
        match: ['python3 -m pytest -q'],
        noMatch: ['python3 -m pip install x', 'python3 -c x'],
      },
    },
    {
      name: 'python-runners',
      why: 'The same through the runner of the project.',
      pattern: '{uv,poetry,pdm,hatch}',
      args: [
        'run',
        ['pytest', 'ruff', 'mypy', 'black', 'isort', 'flake8', 'pylint', 'coverage'],
        '...',
      ],
      examples: { match: ['uv run pytest -q'], noMatch: ['uv run x.py', 'uv pip install x'] },
    },
    {
      name: 'rust',
      why: 'Cargo builds, tests, checks and formats the project.',
      pattern: 'cargo',
      args: [
        [
          'build',
          'b',
          'check',
          'c',
          'test',
          't',
          'run',
          'r',
          'clippy',
          'fmt',
          'doc',
          'bench',
          'tree',
          'metadata',
          'nextest',
          'clean',
        ],
        '...',
      ],
      examples: {
        match: ['cargo test', 'cargo clippy'],
        noMatch: ['cargo publish', 'cargo install x', 'cargo nextest self update'],
      },
    },
    {
      name: 'go',
      why: 'Go builds, tests, checks and formats the project.',
      pattern: 'go',
      args: [['build', 'test', 'vet', 'fmt', 'list', 'run', 'env', 'generate'], '...'],
      examples: { match: ['go vet', 'go build'], noMatch: ['go install x@latest', 'go get x'] },
    },
    {
      name: 'go-modules',
      why: 'Go brings the list of modules up to date with the code.',
      pattern: 'go',
      args: ['mod', ['tidy', 'verify', 'graph', 'why'], '...'],
      examples: { match: ['go mod verify'], noMatch: ['go mod edit -replace a=b'] },
    },
    {
      name: 'go-tools',
      why: 'Tools for style and checks of Go.',
      pattern: '{gofmt,goimports,golangci-lint,staticcheck,gofumpt}',
      changes: 'project',
      examples: { match: ['gofmt -l {project}'], noMatch: ['gofmt -w /etc/x.go'] },
    },
    {
      name: 'make',
      why: 'Recipes of the project that are named like a test, a build, a check or a format.',
      pattern: 'make',
      args: [['all', ...scripts]],
      examples: {
        match: ['make test'],
        noMatch: ['make install', 'make SHELL=./x', 'make -C /tmp'],
      },
    },
    {
      name: 'make-at-once',
      why: 'The same with several jobs at once, or only said and not done.',
      pattern: 'make',
      args: [
        ['-j*', '-n', '-s', '-B'],
        ['all', ...scripts],
      ],
      examples: { match: ['make -j4 test'], noMatch: ['make -j4 install', 'make -f x test'] },
    },
    {
      name: 'make-first',
      why: 'The first recipe of the project.',
      pattern: 'make',
      args: [],
      examples: { match: ['make'], noMatch: ['make install'] },
    },
    {
      name: 'gradle',
      why: 'Tasks of the project that stay on this machine.',
      pattern: 'gradle',
      argPattern: gradleWords,
      examples: {
        match: ['gradle test', 'gradle -q :orders:build'],
        noMatch: ['gradle publish', 'gradle test publish', 'gradle -I x.gradle test'],
      },
    },
    {
      name: 'maven',
      why: 'Goals of the project that stay on this machine.',
      pattern: 'mvn',
      argPattern: mavenWords,
      examples: {
        match: ['mvn -q test', 'mvn clean verify'],
        noMatch: ['mvn deploy', 'mvn clean deploy', 'mvn -s x.xml test', 'mvn exec:exec'],
      },
    },
    {
      name: 'local-servers',
      why: 'Servers on this machine are asked for a page; nothing is sent to them, and no answer is kept or followed to elsewhere.',
      pattern: 'curl',
      argPattern: localRequest,
      examples: {
        match: [
          'curl -s localhost:8080/healthz',
          'curl -s http://127.0.0.1:3000/a?b=1',
          "curl -s localhost:3000/up -o /dev/null -w '%{http_code}'",
        ],
        noMatch: [
          'curl https://example.com/',
          'curl -L localhost:8080/',
          'curl -d x localhost:8080/',
          'curl -X DELETE localhost:8080/',
          'curl http://localhost.evil.example/',
          'curl http://localhost@evil.example/',
          'curl localhost:8080/ https://evil.example/',
          'curl -x evil.example localhost:8080/',
          'curl -H @x localhost:8080/',
          'curl -w x evil.example localhost:8080/',
          'curl -s localhost:8080/ -o a.txt',
          "curl -H 'Authorization: x' localhost:8080/",
        ],
      },
    },
    {
      name: 'dotnet',
      why: 'Builds, tests and formats the project.',
      pattern: 'dotnet',
      args: [['build', 'test', 'format'], '...'],
      examples: { match: ['dotnet test'], noMatch: ['dotnet nuget push x', 'dotnet run'] },
    },
    {
      name: 'other-checks',
      why: 'Tools for tests, builds and style of other languages.',
      pattern: '{rustfmt,shellcheck,shfmt,rubocop,rspec,phpunit}',
      examples: { match: ['shellcheck a.sh'], noMatch: ['rubocop -r ./x'] },
    },
    {
      name: 'source-checks',
      why: 'Tools that check or lay out the source text of the project.',
      pattern:
        '{hadolint,yamllint,actionlint,codespell,typos,misspell,cspell,markdownlint,markdownlint-cli2,swiftlint,swiftformat,clang-format,taplo,stylua,buildifier,yamlfmt}',
      changes: 'project',
      examples: {
        match: ['yamllint a.yml', 'hadolint Dockerfile'],
        noMatch: [
          'yamllint -c /tmp/x.yml a.yml',
          'swiftlint --fix /etc',
          'swiftformat ~/other',
          'codespell -w ~/.bashrc',
        ],
      },
    },
    {
      name: 'dart',
      why: 'Tests, checks and layout of code in Dart.',
      pattern: '{dart,flutter}',
      args: [['test', 'analyze', 'format', 'gen-l10n'], '...'],
      examples: {
        match: ['dart format lib', 'flutter test'],
        noMatch: ['dart pub add x', 'flutter run', 'dart x.dart', 'flutter test /tmp/x.dart'],
      },
    },
    {
      name: 'dart-builds',
      why: 'Apps of the project are built, and not signed or sent.',
      pattern: 'flutter',
      args: ['build', ['apk', 'appbundle', 'bundle', 'web', 'linux'], '--debug', '...'],
      examples: {
        match: ['flutter build apk --debug'],
        noMatch: ['flutter build ipa', 'flutter build apk --debug --target /tmp/x.dart'],
      },
    },
    {
      name: 'dart-packages',
      why: 'It says what the project depends on.',
      pattern: '{dart,flutter}',
      args: ['pub', ['deps', 'outdated'], '...'],
      examples: { match: ['dart pub deps'], noMatch: ['dart pub get', 'flutter pub upgrade'] },
    },
    ...localGit,
    {
      name: 'logs',
      why: 'What tests, builds and checks print goes into files of the project.',
      pattern: '{npm,pnpm,yarn,cargo,go}',
      args: [
        [
          'test',
          't',
          'build',
          'check',
          'lint',
          'typecheck',
          'dev',
          'start',
          'clippy',
          'bench',
          'vet',
        ],
        '...',
      ],
      changes: 'project',
      examples: { match: ['npm test > {project}/a.log'], noMatch: ['npm test > ~/.bashrc'] },
    },
    {
      name: 'tool-logs',
      why: 'The same for tools for tests, types and style.',
      pattern:
        '{pytest,ruff,mypy,pyright,tsc,eslint,vitest,jest,rspec,rubocop,golangci-lint,ctest}',
      changes: 'project',
      examples: {
        match: ['pytest -q > {project}/a.log', 'tsc --noEmit > {project}/a.txt'],
        noMatch: ['pytest -q > ~/.bashrc', 'tsc > {project}/.git/hooks/x'],
      },
    },
    {
      name: 'part-logs',
      why: 'The same for one part of the repository.',
      pattern: 'pnpm',
      args: [
        ['--filter', '-F', '-C', '--dir'],
        '[!-]**',
        ['test', 'build', 'lint', 'typecheck', 'dev', 'start'],
        '...',
      ],
      changes: 'project',
      examples: {
        match: ['pnpm --filter a test > {project}/a.log'],
        noMatch: ['pnpm --filter a test > ~/.bashrc', 'pnpm --filter a add x > {project}/a.log'],
      },
    },
    {
      name: 'script-logs',
      why: 'The same for scripts.',
      pattern: '{npm,pnpm,yarn}',
      args: ['run', scripts, '...'],
      changes: 'project',
      examples: {
        match: ['npm run build > {project}/a.log'],
        noMatch: ['npm run build > ~/.bashrc', 'npm run env > {project}/a.txt'],
      },
    },
  ],
};
