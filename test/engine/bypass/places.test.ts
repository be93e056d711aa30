import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Analysis } from '../../../shared/engine/plan/types.ts';
import { analyserOn } from '../../support/machine.ts';
import { allow, cwd, home, verdictOn } from '../../support/stages.ts';

function linesOf(name: string): readonly string[] {
  return readFileSync(new URL(`../../fixtures/bypass/${name}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

const places = linesOf('places.txt');
const carriers = linesOf('carriers.txt');

/** The same programs writing where nothing runs later, by themselves or as a project is built. */
const elsewhere = `cp src/a.ts src/b.ts|cp -r src dist|cp -r src/. dist|cp ~/.bashrc notes.txt
  cp .git/hooks/pre-commit.sample /tmp/x|cp package.json package.json.bak|mv a.ts b.ts|mv src/a.ts src/b
  ln -s ../shared src/shared|cp package.json docs/manifest.bak|mv package.json.bak old.json|touch conftest.py|rm -f Makefile
  rm -rf node_modules|hadolint Dockerfile|cat CLAUDE.md
  prettier --write package.json|chmod 644 Makefile|cp Makefile /tmp/x|sed -n 1,5p Makefile|tee out.log|tee -a /tmp/log|touch src/new.ts|chmod +x scripts/x.sh
  dd if=a of=b|sort -o a.txt a.txt|sort -u a.txt|uniq a b|sed -n 1,5p ~/.bashrc|sed -i s/a/b/ src/a.ts
  cat .git/config|grep -n name .git/config|ls .git/hooks|rm -f .git/index.lock
  curl -sS -o /tmp/x.json https://x/y|curl -fsSLO https://x/y.tgz|curl https://x/y|wget https://x/y.tgz
  wget -qO- https://x/y|rsync -a src/ dist/|scp a host:b|tar xf a -C /tmp|tar czf /tmp/a.tgz src
  tar tf a|unzip -l a|unzip a -d /tmp/x|git clone https://x/y|git clone https://x/y sub|git mv a b
  git format-patch -o /tmp HEAD|terraform plan -out=plan|docker cp x:/b out|gh run download 1 -D out
  aws s3 cp s3://x/y out|prettier --write src|eslint --fix .|find .git -name x|openssl rand -out key 3
  cp a .gitignore|mv a .claude/worktrees/x/src/a.ts|touch .editorconfig`
  .split(/\||\n/)
  .map((line) => line.trim());

let analyse: (command: string) => Analysis;

beforeAll(async () => {
  const lines = [...places, ...carriers, ...elsewhere];
  const names = lines.flatMap((line) =>
    line.split(/&&|\|\||;/).flatMap((part) => /^\s*([\w.+-]+)/.exec(part)?.[1] ?? []),
  );
  analyse = await analyserOn({
    ...Object.fromEntries(names.map((name) => [`/usr/bin/${name}`, '\u007fELF'])),
    [`${home}/.interlock/exec-approvals.json`]: '{}',
    [`${home}/.ssh/authorized_keys`]: '',
    [`${cwd}/run.sh`]: '#!/bin/sh\n',
    [`${cwd}/x.sh`]: '',
    [`${cwd}/y.sh`]: '',
    [`${cwd}/x.py`]: '',
    [`${cwd}/b`]: '\u007fELF',
    [`${cwd}/.git/HEAD`]: 'ref: refs/heads/main\n',
    [`${cwd}/.git/objects/x`]: '',
    [`${cwd}/.git/refs/x`]: '',
    [`${cwd}/.git/hooks/pre-commit.sample`]: '',
  });
});

/** Each program of the command may be given any arguments. */
function decision(command: string): string {
  const analysis = analyse(command);
  const stages = analysis.ok ? analysis.plan.stages : analysis.stages;
  const rules = [...new Set(stages.map(({ executable }) => executable.name))].map((name) =>
    allow(name.replaceAll(/[[\]]/g, String.raw`\$&`), ['...']),
  );
  return verdictOn(analysis, { rules, request: { command } }).decision;
}

describe('a rule for a program with any arguments', () => {
  it.each(places)('does not let it write where something runs later: %s', (line) => {
    expect(decision(line)).toBe('ask');
  });

  it.each(elsewhere)('lets it write anywhere else: %s', (line) => {
    expect(decision(line)).toBe('allow');
  });

  it.each(carriers)('does not let it run what its arguments name: %s', (line) => {
    expect(decision(line)).toBe('ask');
  });
});

describe('a rule for many programs at once', () => {
  const covers = (pattern: string, command: string): boolean =>
    verdictOn(analyse(command), { rules: [allow(pattern)], request: { command } }).decision ===
    'allow';

  it('covers those that are known to start nothing, not those that nobody knows', () => {
    for (const pattern of ['/usr/bin/**', '/usr/bin/*', '**', '*', '{/usr/bin/*,/opt/x}']) {
      expect([pattern, covers(pattern, 'sort a.txt')]).toEqual([pattern, true]);
      expect([pattern, covers(pattern, 'unknown-tool a.txt')]).toEqual([pattern, false]);
    }
  });

  it('covers an unknown program that it names', () => {
    for (const pattern of ['unknown-tool', '/usr/bin/unknown-tool', '/usr/**/{sort,unknown-tool}'])
      expect([pattern, covers(pattern, 'unknown-tool a.txt')]).toEqual([pattern, true]);
  });
});

describe('a rule that lets a command write', () => {
  const covers = (writes: string, command: string): boolean =>
    verdictOn(analyse(command), {
      rules: [allow('echo', undefined, { writes: [writes] })],
      request: { command },
    }).decision === 'allow';

  it('reaches no place from which something runs later through a wildcard', () => {
    expect(covers('~/**', 'echo x > src/a.txt')).toBe(true);
    expect(covers('~/**', 'echo x > .git/hooks/pre-commit')).toBe(false);
    expect(covers('~/**', 'echo x >> ~/.bashrc')).toBe(false);
    expect(covers('~/.bashrc', 'echo x >> ~/.bashrc')).toBe(true);
  });
});
