import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Analysis, Stage } from '../../../shared/engine/plan/types.ts';
import type { Proposal } from '../../../shared/engine/ask.ts';
import { propose, withRules } from '../../../shared/engine/proposals/propose.ts';
import { decide } from '../../../shared/engine/decide/decide.ts';
import {
  allow,
  builtin,
  cwd,
  inputFor,
  opaque,
  plan,
  program,
  stage,
} from '../../support/stages.ts';
import type { Situation } from '../../support/stages.ts';

function proposalsFor(analysis: Analysis, situation: Situation = {}): readonly Proposal[] {
  const input = inputFor(analysis, situation);
  return propose(input, decide(input));
}

function allows(proposal: Proposal, analysis: Analysis, situation: Situation = {}): boolean {
  return decide(withRules(inputFor(analysis, situation), proposal.rules)).decision === 'allow';
}

const pinned = { level: 'pinned', reason: 'it runs scripts' } as const;

describe('variables in front of a command', () => {
  const withFoo = (value: string, ...more: readonly { name: string; value: string }[]) =>
    plan(stage('make test', { assignments: [{ name: 'FOO', value }, ...more] }));

  it('are a part of the rule and of its sentence, and no others are covered', () => {
    const [proposal] = proposalsFor(withFoo('1'));
    if (proposal === undefined) throw new Error('nothing was proposed');
    expect(proposal.sentence).toContain('with FOO=1 set');
    expect(proposal.rules[0]?.env).toEqual(['FOO=1']);
    expect(allows(proposal, withFoo('1'))).toBe(true);
    for (const other of [
      withFoo('2'),
      withFoo('1', { name: 'BAR', value: 'x' }),
      plan(stage('make test')),
    ])
      expect(allows(proposal, other)).toBe(false);
  });

  it('are not covered by a rule that was made without them, unless nothing depends on them', () => {
    const [proposal] = proposalsFor(plan(stage('make test')));
    if (proposal === undefined) throw new Error('nothing was proposed');
    expect(allows(proposal, withFoo('1'))).toBe(false);
    const plain = { name: 'NODE_ENV', value: 'test' };
    expect(allows(proposal, plan(stage('make test', { assignments: [plain] })))).toBe(true);
    const kept = { name: 'FOO', value: '1', kept: true } as const;
    expect(allows(proposal, plan(stage('make test', { assignments: [kept] })))).toBe(true);
  });

  it('that look like secrets keep a yes from being remembered', () => {
    const value = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    expect(proposalsFor(withFoo('1', { name: 'MY_TOKEN', value }))).toEqual([]);
  });
});

describe('proposals', () => {
  it.each<[Stage | string, readonly string[]]>([
    ['make test', ['exact']],
    ['git status -s', ['exact', 'subcommand', 'reads', 'local']],
    ['git push origin main', ['exact']],
    ['git stash drop', ['exact']],
    ['git stash list', ['exact', 'subcommand', 'reads', 'local']],
    ['git branch', ['exact', 'reads', 'local']],
    ['git branch -a', ['exact', 'reads', 'local']],
    ['git config user.name', ['exact', 'reads', 'local']],
    ['git remote show origin', ['exact', 'subcommand']],
    ['git commit -m x', ['exact', 'subcommand', 'local']],
    ['grep -n x src/a.ts', ['exact', 'files', 'program']],
    ['sed -n 1p src/a.ts', ['exact', 'files']],
    ['cp src/a.ts src/b.ts', ['exact']],
    ['docker compose logs web', ['exact', 'subcommand']],
    ['wc -l src/a.ts', ['exact', 'files', 'program']],
    ['eslint src/a.ts', ['exact', 'files']],
    ['curl https://example.org', ['exact']],
    ['rm -rf /tmp/demo', ['exact']],
    [stage('npm run build', { trust: pinned }), ['exact']],
    [builtin('echo hi', { writes: [`${cwd}/x`] }), ['exact', 'program']],
  ])('of %j go from narrow to wide: %j', (command, scopes) => {
    expect(proposalsFor(plan(command)).map(({ scope }) => scope)).toEqual(scopes);
  });

  it.each<[string, Analysis, Situation?]>([
    ['a shell', plan('bash x.sh')],
    ['an interpreter', plan('python3.11 x.py')],
    [
      'an interpreter behind another name',
      plan(stage('py x', { executable: program('py', { realPath: '/usr/bin/python3' }) })),
    ],
    ['a wrapper', plan('sudo ls')],
    ['find, which runs others', plan('find . -name x')],
    ['an opaque command', opaque('make')],
    ['a risky command', plan('rm -rf /home/me/src')],
    ['a risky part', plan('make', 'git push --force')],
    [
      'something that no rule may allow',
      plan(stage('x y', { trust: { level: 'never', reason: 'it runs text' } })),
    ],
    ['a word that is still to be expanded', plan(stage('wc *', { globs: [1] }))],
    [
      'a program that is not there',
      plan(stage('nope', { executable: { kind: 'missing', name: 'nope' } })),
    ],
    ['one part of several that may have none', plan('make', 'bash x.sh')],
    [
      'what a rule asks about',
      plan('make'),
      { rules: [{ id: 'x', effect: 'ask', pattern: 'make' }] },
    ],
    [
      'what is covered and asked about anyway',
      plan('make'),
      { ask: 'always', rules: [allow('make')] },
    ],
    [
      'a changeable program that cannot be read',
      plan(stage('./x', { executable: program('./x', { trusted: false, agentWritable: true }) })),
    ],
  ])('are not made for %s', (_, analysis, situation = {}) => {
    expect(proposalsFor(analysis, situation)).toEqual([]);
  });

  it('hold one rule for each part that no rule covers yet, and none twice', () => {
    const [exact] = proposalsFor(plan('git status', 'make', 'wc -l', 'make'), {
      rules: [allow('git')],
    });
    expect(exact?.rules.map(({ pattern, args }) => [pattern, args])).toEqual([
      ['/usr/bin/make', []],
      ['/usr/bin/wc', ['-l']],
    ]);
  });

  it('say what they match', () => {
    const sentences = (command: Stage | string) =>
      proposalsFor(plan(command)).map(({ sentence }) => sentence);
    expect(sentences('wc -l src/a.ts')).toEqual([
      `Allow exactly "wc -l src/a.ts" in ${cwd}.`,
      `Allow "wc -l «any file below the folder»" in ${cwd}, unless it looks dangerous.`,
      'Allow wc with any arguments, unless it looks dangerous.',
    ]);
    expect(sentences('wc -l /var/log/syslog')[1]).toBe(
      'Allow "wc -l «any file in /var/log»", unless it looks dangerous.',
    );
    expect(sentences('git status -s')[1]).toBe(
      'Allow "git status" with any further arguments, unless it looks dangerous.',
    );
    const message = stage('git commit', { argv: ['git', 'commit', '-m', "it's a b"] });
    expect(sentences(message)[0]).toBe(`Allow exactly "git commit -m 'it'\\''s a b'".`);
    expect(sentences(stage('npm run build', { trust: pinned }))).toEqual([
      `Allow exactly "npm run build" in ${cwd}.`,
    ]);
  });

  it.each([
    ['rm -rf dist', cwd],
    ['rm -rf /tmp/demo', undefined],
    ['terser src/a.js', cwd],
    ['make test', `${cwd}/**`],
    ['git add src/a.ts', cwd],
    ['wc -l src/a.ts', cwd],
    ['wc -l /var/log/syslog', undefined],
    ['git status -s', undefined],
  ])('bind the exact command "%s" to its folder only where that matters', (text, folder) => {
    expect(proposalsFor(plan(text))[0]?.rules[0]?.cwd).toBe(folder);
  });

  it('let the same with another file run where the person chose so, and nothing beside it', () => {
    const [, otherFile] = proposalsFor(plan('wc -l src/a.ts'));
    if (otherFile === undefined) throw new Error('no such proposal');
    expect(allows(otherFile, plan('wc -l test/b.ts'))).toBe(true);
    for (const other of [
      'wc -l ../x',
      'wc -l /etc/passwd',
      'wc -l --files0-from=x',
      'wc -c a.ts',
      'wc -l',
      'wc -l .ssh/id_rsa',
      'cat a.ts',
    ]) {
      expect(allows(otherFile, plan(other))).toBe(false);
    }
  });

  it('bind a program that agents can change to its content', () => {
    const path = `${cwd}/node_modules/.bin/eslint`;
    const executable = program('eslint', {
      path,
      realPath: path,
      trusted: false,
      agentWritable: true,
    });
    const linted = plan(stage('eslint src/a.ts', { executable }));
    const proposals = proposalsFor(linted, { hashes: { [path]: 'a'.repeat(64) } });
    expect(proposals.map(({ rules }) => rules[0]?.sha256)).toEqual([
      'a'.repeat(64),
      'a'.repeat(64),
    ]);
    for (const proposal of proposals) {
      expect(allows(proposal, linted, { hashes: { [path]: 'a'.repeat(64) } })).toBe(true);
      expect(allows(proposal, linted, { hashes: { [path]: 'b'.repeat(64) } })).toBe(false);
    }
  });

  it('name the past commands that they would have covered', () => {
    const input = inputFor(plan('git status -s'));
    const past = ['git status', 'git log', 'git status src'].map((command) => ({
      command,
      input: inputFor(plan(command)),
    }));
    expect(propose(input, decide(input), past).map(({ pastCommands }) => pastCommands)).toEqual([
      [],
      ['git status', 'git status src'],
      ['git status', 'git log', 'git status src'],
      ['git status', 'git log', 'git status src'],
    ]);
  });
});

const word = fc.oneof(
  fc.constantFrom(
    'status',
    'log',
    '-l',
    '--all',
    'src/a.ts',
    '/etc/hosts',
    '...',
    '*',
    '[a]',
    '~',
    '{a,b}',
    '\\',
    '',
    '..',
    'a b',
    '-rf',
    '/',
    '--force',
    'push',
    '.ssh/id_rsa',
  ),
  fc.string({ maxLength: 6 }),
);
const name = fc.constantFrom(
  'git',
  'ls',
  'wc',
  'make',
  'rm',
  'curl',
  'eslint',
  'docker',
  'cat',
  'rg',
);
const command = fc
  .tuple(name, fc.array(word, { maxLength: 4 }))
  .map(([first, rest]) => stage(first, { argv: [first, ...rest] }));

describe('every proposal', () => {
  it('sticks: the same command is not asked about again', () => {
    fc.assert(
      fc.property(fc.array(command, { minLength: 1, maxLength: 3 }), (stages) => {
        for (const proposal of proposalsFor(plan(...stages))) {
          expect(allows(proposal, plan(...stages))).toBe(true);
        }
      }),
    );
  });

  it('does not leak: an exact one allows no other command, and none allows what looks dangerous', () => {
    fc.assert(
      fc.property(command, command, (one, other) => {
        const same = JSON.stringify(one.argv) === JSON.stringify(other.argv);
        const [exact, ...wider] = proposalsFor(plan(one));
        if (exact !== undefined) expect(allows(exact, plan(other))).toBe(same);
        const risk = decide(inputFor(plan(other))).risk.level;
        for (const proposal of wider) {
          if (risk === 'high') expect(allows(proposal, plan(other))).toBe(false);
          expect(one.argv[0] !== other.argv[0] && allows(proposal, plan(other))).toBe(false);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the proposal that is suggested', () => {
  const suggested = (analysis: Analysis): readonly string[] =>
    proposalsFor(analysis)
      .filter((proposal) => proposal.suggested === true)
      .map(({ scope }) => scope);

  it('is wider than the command only for what does no more than read', () => {
    expect(suggested(plan(stage('git status')))).toEqual(['subcommand']);
    expect(suggested(plan(stage('cat src/a.ts')))).toEqual(['files']);
    expect(suggested(plan(stage('git commit -m x')))).toEqual(['exact']);
    expect(suggested(plan(stage('rm a.txt')))).toEqual(['exact']);
    expect(suggested(plan(stage('git status'), stage('rm a.txt')))).toEqual(['exact']);
  });
});
