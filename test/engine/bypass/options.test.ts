import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Analysis } from '../../../shared/engine/plan/types.ts';
import { analyserOn } from '../../support/machine.ts';
import { allow, cwd, verdictOn } from '../../support/stages.ts';

const lines = readFileSync(new URL('../../fixtures/bypass/options.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** The same tools as they are used all day: tables that grew too wide would show here. */
const everyday = `make -j4 test|npm run build|npm ci --no-audit --no-fund|npm test -- --watch=false
  npm install --save-dev vitest|npm -w packages/a run build|pnpm -C packages/a test|pnpm -r run build
  yarn --cwd packages/a test|yarn run build|cargo build --release|cargo test --manifest-path sub/Cargo.toml
  cargo clippy --all-targets -- -D warnings|go build ./...|go test -run TestX ./pkg/...
  cmake -S . -B build -DCMAKE_BUILD_TYPE=Debug|cmake --build build -j 4|ninja -C build
  mvn -q -DskipTests=x clean|mvn -pl core clean test|gradle test --info|pytest -q tests/test_a.py::test_b
  pytest -k "a and b" -x|pytest ${cwd}/test|mypy src --strict|pylint src|rubocop lib|jest --config jest.config.js
  vitest run test/a.test.ts|eslint --fix src|eslint -c .eslintrc.json .|prettier --write src
  tsc -p tsconfig.json --noEmit|docker compose up -d|docker compose -f compose.dev.yml up -d
  docker build -t app:1 .|terraform plan -out=plan|gh pr view 3 --json title|git archive HEAD
  git apply x.patch|sed -n '1,5p' a|awk '$3 > 5 {print $1}' a|fd -e ts
  fd -HI foo|curl -sSL https://x|gcc -O2 -Wall -o a a.c|rustc --version|javac -d out A.java|nm -C a.o
  dd if=a of=b|convert a.png b.jpg|pandoc a.md -o a.html|aws s3 ls|NODE_ENV=test npm test|GOOS=linux CGO_ENABLED=0 go build|CI=1 FORCE_COLOR=0 npm test|RUST_LOG=debug cargo test|TZ=UTC date|PAGER=cat git log|GIT_PAGER=cat git diff|GIT_PAGER= git log|env PAGER=cat git log
  rustup show|rustup toolchain list|terraform -chdir=infra plan|terraform -chdir infra validate|redis-cli ping
  redis-cli keys '*'|redis-cli -h localhost get x|redis-cli --scan --pattern 'x*'|aws logs tail /aws/x|hg log -l 5|svn log -l 5|bazel build //x`
  .split(/\||\n/)
  .map((line) => line.trim());

/** Not in `mvn -DskipTests`, which is pinned: any setting can name a program. */
const asked = new Set(['mvn -q -DskipTests=x clean']);

let analyse: (command: string) => Analysis;

beforeAll(async () => {
  const names = [...lines, ...everyday].flatMap(
    (line) => /^(?:\w+=(?:'[^']*'|\S*) )*([\w.+-]+)/.exec(line)?.[1] ?? [],
  );
  const composed = 'services: { app: { image: a, volumes: [".:/app"] } }\n';
  analyse = await analyserOn({
    ...Object.fromEntries([...names, 'ssh'].map((name) => [`/usr/bin/${name}`, '\u007fELF'])),
    [`${cwd}/compose.yml`]: composed,
    [`${cwd}/compose.dev.yml`]: composed,
  });
});

function decision(command: string): string {
  return verdictOn(analyse(command), { rules: [allow('**')], request: { command } }).decision;
}

describe('a rule for every program with any arguments', () => {
  it.each(lines)('does not cover %s', (line) => {
    expect(decision(line)).toBe('ask');
  });

  it.each(everyday)('covers %s, unless settings may name programs', (line) => {
    expect(decision(line)).toBe(asked.has(line) ? 'ask' : 'allow');
  });
});
