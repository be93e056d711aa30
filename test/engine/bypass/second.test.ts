import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import type { Analysis } from '../../../shared/engine/plan/types.ts';
import type { Rule } from '../../../shared/engine/policy/types.ts';
import { analyserOn } from '../../support/machine.ts';
import { allow, cwd, home, verdictOn } from '../../support/stages.ts';

function linesOf(name: string): readonly string[] {
  return readFileSync(new URL(`../../fixtures/bypass/${name}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replaceAll('\\n', '\n'));
}

const hostile = linesOf('second.txt');
const harmless = linesOf('second-harmless.txt');

/** What people allow of programs that run others, beside a rule for each program. */
const carried: readonly Rule[] = [
  allow('npx', [['tsc', 'eslint', 'prettier', 'vitest', 'jest'], '...']),
  allow('python3', ['-m', 'pytest', '...']),
  allow('cargo', ['run']),
  allow('go', ['run', '.']),
  allow('uv', ['run', 'pytest']),
  allow('bun', ['run', 'build']),
  allow('node', ['--test']),
  allow('node', ['scripts/x.js']),
  allow('python3', ['scripts/x.py']),
  allow('npm', ['test']),
  allow('watch', ['-n1', 'ls']),
  allow('xargs', ['wc', '...']),
];

const tree =
  `src/a.ts src/b.py src/e.ts docs/a.md build/log.txt scripts/x.js scripts/x.py scripts/x.sh test/a.test.ts k8s/deploy.yaml
  scripts/Makefile scripts/package.json README.md data.csv data.json a.txt b.txt a.tar a.zip a.gz x.db x.patch list.txt x.pub
  package.json Makefile .env .git/config .git/objects/x .git/refs/x .git/hooks/x`.split(/\s+/);
const atHome = ['.ssh/id_rsa', '.aws/credentials', '.kube/config', '.netrc', '.bashrc'];

/** Words that may be programs. */
const namesIn = (line: string): readonly string[] =>
  [...line.matchAll(/(?:^|[\s;&|(])([\w.+[-]+)(?=$|[\s;&|)])/g)].map(([, name = '']) => name);

let analyse: (command: string) => Analysis;

beforeAll(async () => {
  const first = [...hostile, ...harmless].map((line) => line.replace(/^(?:\w+=\S* )+/, ''));
  const programs = new Set(first.map((line) => line.split(' ', 1)[0] ?? ''));
  analyse = await analyserOn({
    ...Object.fromEntries([...programs].map((name) => [`/usr/bin/${name}`, '\u007fELF'])),
    ...Object.fromEntries(tree.map((name) => [`${cwd}/${name}`, 'x\n'])),
    ...Object.fromEntries(atHome.map((name) => [`${home}/${name}`, 'x\n'])),
    [`${cwd}/.git/HEAD`]: 'ref: refs/heads/main\n',
    [`${cwd}/.git/config`]: '[core]\n\trepositoryformatversion = 0\n\tbare = false\n',
  });
});

function decision(command: string): string {
  const names = new Set(namesIn(command));
  const rules = [...names].map((name) => allow(name === '[' ? String.raw`\[` : name, ['...']));
  const request = { command };
  return verdictOn(analyse(command), { rules: [...rules, ...carried], request }).decision;
}

it('of hostile lines of a second round, a rule for the program with any arguments covers none', () => {
  expect(hostile.filter((line) => decision(line) === 'allow')).toEqual([]);
  expect(hostile.length).toBeGreaterThan(1_500);
});

it('of harmless lines under the same rules, at most three in a hundred are asked about', () => {
  const asked = harmless.filter((line) => decision(line) !== 'allow');
  expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(harmless.length * 0.03);
  expect(harmless.length).toBeGreaterThan(300);
});
