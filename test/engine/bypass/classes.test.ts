import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Analysis } from '../../../shared/engine/plan/types.ts';
import { judge } from '../../../shared/engine/programs/judge.ts';
import { everyRecord } from '../../../shared/engine/programs/list.ts';
import { readNamed } from '../../../shared/engine/programs/named.ts';
import type { Grammar } from '../../../shared/engine/programs/types.ts';
import { analyserOn } from '../../support/machine.ts';
import { allow, verdictOn } from '../../support/stages.ts';

/** Lines under the name of their class, which begins with a hash. */
const lines = readFileSync(new URL('../../fixtures/bypass/classes.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** What looks alike and does none of it. */
const harmless =
  `git commit -m --no-verify|git commit -m 'no login'|grep -rn login src|rg logout|git log --grep=login|git branch -m new
  git tag v2|git tag -l|git checkout main|git checkout -b src|git fetch origin|git symbolic-ref HEAD
  git restore --staged a|git rm --cached a|npm run login|make login|curl -sSf https://x.example|curl --ssl-reqd https://x.example
  curl --tls-max 1.3 https://x.example|hg status|hg log|svn diff|ssh-add -l|gpg --list-keys|git merge --no-ff x
  wget -qO- https://x.example|cargo test|npm ci|pip install -r requirements.txt|psql 'postgres://localhost/x?sslmode=disable' -c 'select 1'`
    .split(/\||\n/)
    .map((line) => line.trim());

let analyse: (command: string) => Analysis;

beforeAll(async () => {
  const names = [...lines, ...harmless].map((line) => line.split(' ')[0] ?? '');
  analyse = await analyserOn(
    Object.fromEntries([...names, 'ssh'].map((name) => [`/usr/bin/${name}`, '\u007fELF'])),
  );
});

function decision(command: string): string {
  return verdictOn(analyse(command), { rules: [allow('**')], request: { command } }).decision;
}

describe('a rule with any arguments', () => {
  it.each(lines)('does not cover %s', (line) => {
    expect(decision(line)).not.toBe('allow');
  });

  it.each(harmless)('covers %s', (line) => {
    expect(decision(line)).toBe('allow');
  });
});

/** Options of these names do what they say wherever they are found. */
const named =
  /^--(?:insecure|no-verify|no-verify-ssl|no-check-certificate|insecure-skip-tls-verify|tls-skip-verify|nogpgcheck|no-gpg-checks?|allow-unauthenticated|trust-server-cert|no-hsts)$/;

function optionsOf(grammar: Grammar, words: readonly string[] = []): readonly string[] {
  const own = Object.keys(grammar.options ?? {})
    .flatMap((spellings) => spellings.split(' '))
    .filter((name) => named.test(name))
    .map((name) => [...words, name].join(' '));
  const inner = Object.entries(grammar.commands ?? {}).flatMap(([names, command]) =>
    optionsOf(command, [...words, names.split(' ')[0] ?? '']),
  );
  return [...own, ...inner];
}

it('every record that has an option which turns a check off has a rule say so', () => {
  const found = everyRecord().flatMap(({ names: [name = ''], grammar }) =>
    optionsOf(grammar).map((words) => [name, ...words.split(' ')] as const),
  );
  const open = found.filter(([name, ...words]) => {
    const reading = readNamed(name, [...words, 'x']);
    return reading !== null && judge(reading).trust.level === 'open';
  });
  expect(open).toEqual([]);
  expect(found.length).toBeGreaterThan(20);
});

it('a rule that says the word covers it', () => {
  const command = 'git commit --no-verify -m x';
  const rules = [allow('git', ['commit', '--no-verify', '...'])];
  expect(verdictOn(analyse(command), { rules, request: { command } }).decision).toBe('allow');
});
