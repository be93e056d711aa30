import { localGit } from './local-git.ts';
import type { StarterSet } from './types.ts';

/**
 * How projects call what tests, builds, checks and formats them. A name that no script has can be a
 * program (`yarn run node`), or print the environment (`npm run env`).
 */
const scripts =
  'test build lint format fmt check type types typecheck dev start watch preview e2e unit bench coverage clean docs prettier eslint tsc vitest storybook ci'
    .split(' ')
    .flatMap((name) => [name, `${name}[:-]*`]);

/** Tools of a project in JavaScript, as it has them. */
const nodeTools =
  'tsc vue-tsc eslint prettier vitest jest biome oxlint stylelint vite esbuild'.split(' ');

/** Tasks of Gradle that stay on this machine, in any part of the project. */
const gradleTask =
  '(?::?[\\w-]+:)*:?(?:test|build|check|assemble|clean|classes|jar|bootJar|javadoc|dependencies|dependencyInsight|projects|tasks|help|(?:compile|process|lint|spotless|checkstyle|pmd|spotbugs|detekt|ktlint|jacoco)[A-Za-z]*|(?:integration|unit|functional|debugUnit|releaseUnit)Test|testClasses)';
const gradleWords = `^(?:(?:${gradleTask}|-q|--quiet|-i|--info|-s|--stacktrace|--continue|--parallel|--offline|--no-daemon|--console=plain|--rerun-tasks|--build-cache|--no-build-cache|--all|--tests [\\w.*$]+|--configuration \\w+|--task \\w+|(?:-x|--exclude-task) ${gradleTask})(?: |$))+$`;

/** Goals of Maven that stay on this machine, and options that choose parts of the project. */
const mavenWords =
  '^(?:(?:-[qBoeXV]|-ntp|-am|-amd|-fae|-ff|--batch-mode|--quiet|--offline|-DskipTests(?:=true|=false)?|-DskipITs|-Dtest=[\\w.*#$+]+|(?:-T|--threads) [\\d.C]+|(?:-pl|--projects) [\\w:,-]+(?:/[\\w:,-]+)*|clean|validate|compile|test|test-compile|package|verify|integration-test|dependency:tree|dependency:analyze|dependency:list|spotless:check|spotless:apply|checkstyle:check|surefire:test)(?: |$))+$';

/** A server on this machine is asked for a page: nothing is sent, nothing followed, nothing kept. */
const localRequest =
  '^(?:(?:-[sSfIiv]+|--silent|--show-error|--fail|--head|--include|--verbose|(?:-m|--max-time|--connect-timeout|--retry|--retry-delay) \\d+|--retry-connrefused|-o /dev/null|(?:-w|--write-out) [^@\\s-][^\\s]*(?: %\\{\\w+\\}(?:\\\\n)?)*) )*(?:https?://)?(?:localhost|127\\.0\\.0\\.1|\\[::1\\])(?::\\d{1,5})?(?:/[\\w./?&=%,:~+-]*)?(?: (?:-[sSfIiv]+|-o /dev/null))*$';

/** Work on this project: its own tools, local Git, and edits inside of it. */
export const project: StarterSet = {
  name: 'project',
  version: 2,
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
        '{echo,printf,cat,tee,head,tail,cut,sort,uniq,tr,diff,ls,grep,rg,jq,wc,awk,date,md5sum,sha1sum,sha256sum,gzip}',
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
      name: 'sed-edits',
      why: 'Lines of files of the project are replaced or printed.',
      pattern: 'sed',
      changes: 'project',
      examples: {
        match: ['sed -i s/a/b/ {project}/a.txt', "sed 's/a/b/' a.txt"],
        noMatch: ['sed -i s/a/b/ ~/.bashrc', "sed 's/a/x/e' a.txt"],
      },
    },
    {
      name: 'node-scripts',
      why: 'Scripts of the project that are named like a test, a build, a check or a format.',
      pattern: '{npm,pnpm,yarn,bun}',
      args: ['run', scripts, '...'],
      examples: {
        match: ['npm run build', 'npm run test:unit'],
        noMatch: ['npm run env', 'yarn run node x.js', 'bun run x.ts', 'npm run deploy'],
      },
    },
    {
      name: 'node-words',
      why: 'The same in short, and what the project depends on.',
      pattern: '{npm,pnpm,yarn}',
      args: [['test', 't', 'start', 'build', 'lint', 'ls', 'list', 'why', 'outdated'], '...'],
      examples: { match: ['npm test'], noMatch: ['npm publish', 'npm install x', 'npm version 2'] },
    },
    {
      name: 'node-silent',
      why: 'The same with less output.',
      pattern: '{npm,pnpm,yarn}',
      args: [['-s', '--silent'], 'run', scripts, '...'],
      examples: { match: ['npm -s run build'], noMatch: ['npm --silent run env'] },
    },
    {
      name: 'node-tools',
      why: 'Tools for tests, types, style and bundles, as the project has them.',
      pattern:
        '{tsc,vue-tsc,eslint,prettier,vitest,jest,biome,oxlint,stylelint,vite,esbuild,rollup}',
      examples: { match: ['eslint src'], noMatch: ['eslint -c /tmp/x.js src'] },
    },
    {
      name: 'npx-tools',
      why: 'The same through npx.',
      pattern: '{npx,bunx}',
      args: [nodeTools, '...'],
      examples: { match: ['npx tsc --noEmit'], noMatch: ['npx cowsay x', 'npx -y eslint x'] },
    },
    {
      name: 'part-scripts',
      why: 'Scripts of one part of the repository, or of all, that are named like a test, a build, a check or a format.',
      pattern: 'pnpm',
      args: [['--filter', '-F'], '[!-]**', scripts, '...'],
      examples: {
        match: ['pnpm --filter a test'],
        noMatch: ['pnpm --filter a add x', 'pnpm --filter a publish', 'pnpm --filter a exec node'],
      },
    },
    {
      name: 'part-runs',
      why: 'The same with the word for it.',
      pattern: 'pnpm',
      args: [['--filter', '-F'], '[!-]**', 'run', scripts, '...'],
      examples: {
        match: ['pnpm --filter ./a run lint'],
        noMatch: ['pnpm --filter a run deploy', 'pnpm --filter a run env'],
      },
    },
    {
      name: 'every-part',
      why: 'The same for all of them.',
      pattern: 'pnpm',
      args: [['-r', '--recursive'], scripts, '...'],
      examples: {
        match: ['pnpm -r build'],
        noMatch: ['pnpm -r publish', 'pnpm -r exec node x.js'],
      },
    },
    {
      name: 'every-part-runs',
      why: 'The same with the word for it.',
      pattern: 'pnpm',
      args: [['-r', '--recursive'], 'run', scripts, '...'],
      examples: { match: ['pnpm -r run build'], noMatch: ['pnpm -r run deploy'] },
    },
    {
      name: 'turbo',
      why: 'What Turborepo runs in each part, by the names of such scripts.',
      pattern: 'turbo',
      args: ['run', scripts, '...'],
      examples: {
        match: ['turbo run test'],
        noMatch: ['turbo run deploy', 'turbo login', 'turbo gen'],
      },
    },
    {
      name: 'turbo-through',
      why: 'The same through the manager of packages.',
      pattern: '{npx,pnpm,yarn,bunx}',
      args: ['turbo', 'run', scripts, '...'],
      examples: {
        match: ['npx turbo run lint'],
        noMatch: ['npx turbo run deploy', 'npx turbo login'],
      },
    },
    {
      name: 'nx',
      why: 'The same for Nx.',
      pattern: 'nx',
      args: [[...scripts, 'affected:test', 'affected:lint', 'affected:build'], '...'],
      examples: {
        match: ['nx affected:test --base=main'],
        noMatch: ['nx migrate latest', 'nx release', 'nx run a:deploy'],
      },
    },
    {
      name: 'nx-through',
      why: 'The same through the manager of packages.',
      pattern: '{npx,pnpm,yarn,bunx}',
      args: ['nx', [...scripts, 'affected:test', 'affected:lint', 'affected:build'], '...'],
      examples: { match: ['npx nx test a'], noMatch: ['npx nx migrate latest', 'npx nx release'] },
    },
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
        noMatch: ['cargo publish', 'cargo install x'],
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
        match: ['curl -s localhost:8080/healthz', 'curl -s http://127.0.0.1:3000/a?b=1'],
        noMatch: [
          'curl https://example.com/',
          'curl -L localhost:8080/',
          'curl -d x localhost:8080/',
          'curl -X DELETE localhost:8080/',
          'curl http://localhost.evil.example/',
          'curl http://localhost@evil.example/',
          'curl localhost:8080/ https://evil.example/',
          'curl -x evil.example localhost:8080/',
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
      pattern: '{ninja,rustfmt,shellcheck,shfmt,rubocop,rspec,phpunit}',
      examples: { match: ['shellcheck a.sh'], noMatch: ['rubocop -r ./x', 'ninja -C /tmp'] },
    },
    ...localGit,
    {
      name: 'logs',
      why: 'What tests, builds and checks print goes into files of the project.',
      pattern: '{npm,pnpm,yarn,cargo,go}',
      args: [['test', 'build', 'check', 'lint', 'clippy', 'vet'], '...'],
      changes: 'project',
      examples: { match: ['npm test > {project}/a.log'], noMatch: ['npm test > ~/.bashrc'] },
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
