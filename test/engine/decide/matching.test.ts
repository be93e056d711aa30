import { describe, expect, it } from 'vitest';
import type { Stage } from '../../../shared/engine/plan/types.ts';
import type { Rule } from '../../../shared/engine/policy/types.ts';
import { digestOfArguments } from '../../../shared/engine/rules/compiled-rule.ts';
import { allow, cwd, plan, program, rule, stage, verdictOn } from '../../support/stages.ts';
import type { Situation } from '../../support/stages.ts';

const noEffects = {
  reads: [],
  writes: [],
  deletes: [],
  into: [],
  starts: [],
  reaches: [],
  network: false,
};

const hash = 'a'.repeat(64);
const python = program('python3', { realPath: '/usr/bin/python3.11' });
const script = program('./tool.sh', {
  path: `${cwd}/tool.sh`,
  realPath: `${cwd}/tool.sh`,
  trusted: false,
  agentWritable: true,
  interpreter: '/usr/bin/bash',
});
const pinned = { level: 'pinned', reason: 'it runs scripts' } as const;

type Row = [what: string, rule: Rule, stage: Stage, covered: boolean, situation?: Situation];

const rows: readonly Row[] = [
  ['a bare name, found through PATH', allow('rg'), stage('rg x'), true],
  ['a bare name, written as a path', allow('rg'), stage('./rg x'), false],
  [
    'a bare name outside the trusted directories',
    allow('rg'),
    stage('rg x', { executable: program('rg', { trusted: false }) }),
    false,
  ],
  ['a bare glob', allow('r?'), stage('rg x'), true],
  [
    'the real path behind a link',
    allow('/usr/bin/python3.11'),
    stage('python3 x', { executable: python }),
    true,
  ],
  [
    'the link itself, in the hands of the system',
    allow('/usr/bin/python3'),
    stage('python3 x', { executable: python }),
    true,
  ],
  [
    'a glob that meets only the link',
    allow('/usr/bin/*3'),
    stage('python3 x', { executable: python }),
    false,
  ],
  [
    'a link that somebody else can turn',
    allow('/home/me/git'),
    stage('git x', {
      executable: program('git', { path: '/home/me/git', realPath: '/usr/bin/rm', trusted: false }),
    }),
    false,
  ],
  [
    'a name whose link lies in the home directory',
    allow('git'),
    stage('git x', {
      executable: program('git', {
        path: '/home/me/bin/git',
        realPath: '/usr/bin/rm',
        trusted: false,
      }),
    }),
    false,
  ],
  [
    'a name whose link the system made',
    allow('ls'),
    stage('ls x', { executable: program('ls', { path: '/bin/ls', realPath: '/usr/bin/ls' }) }),
    true,
  ],
  ['a name in another case', allow('/usr/bin/GIT'), stage('git x'), false],
  [
    'a name in another case on a Mac',
    allow('/usr/bin/GIT'),
    stage('git x'),
    true,
    { platform: 'darwin' },
  ],
  [
    'a script that an agent can change',
    allow(script.name),
    stage('./tool.sh', { executable: script }),
    false,
  ],
  [
    'such a script by path alone',
    allow(`${cwd}/tool.sh`),
    stage('./tool.sh', { executable: script }),
    false,
  ],
  [
    'such a script by path and hash',
    allow(`${cwd}/tool.sh`, undefined, { sha256: hash }),
    stage('./tool.sh', { executable: script }),
    true,
    { hashes: { [`${cwd}/tool.sh`]: hash } },
  ],
  [
    'such a script after a change',
    allow(`${cwd}/tool.sh`, undefined, { sha256: hash }),
    stage('./tool.sh', { executable: script }),
    false,
    { hashes: { [`${cwd}/tool.sh`]: 'b'.repeat(64) } },
  ],
  [
    'such a script by glob and hash',
    allow(`${cwd}/*.sh`, undefined, { sha256: hash }),
    stage('./tool.sh', { executable: script }),
    false,
    { hashes: { [`${cwd}/tool.sh`]: hash } },
  ],
  [
    'a script for an interpreter, by its hash',
    allow('/usr/bin/bash', ['build.sh'], { sha256: hash }),
    stage('bash build.sh', { trust: pinned, script: `${cwd}/build.sh` }),
    true,
    { hashes: { [`${cwd}/build.sh`]: hash } },
  ],
  [
    'a script for an interpreter, without its hash',
    allow('/usr/bin/bash', ['build.sh']),
    stage('bash build.sh', { trust: pinned, script: `${cwd}/build.sh` }),
    false,
  ],
  [
    'a script for an interpreter, changed',
    allow('/usr/bin/bash', ['build.sh'], { sha256: hash }),
    stage('bash build.sh', { trust: pinned, script: `${cwd}/build.sh` }),
    false,
    { hashes: { [`${cwd}/build.sh`]: 'b'.repeat(64) } },
  ],
  [
    'a script of the system',
    allow('/usr/bin/bash', ['/usr/share/x.sh']),
    stage('bash /usr/share/x.sh', { trust: pinned, script: '/usr/share/x.sh' }),
    true,
  ],
  ['argPattern', rule('git', { argPattern: '^(status|diff)( |$)' }), stage('git diff HEAD'), true],
  [
    'argPattern that does not match',
    rule('git', { argPattern: '^(status|diff)( |$)' }),
    stage('git push'),
    false,
  ],
  [
    'argPattern with NUL between the words',
    rule('git', { argPattern: '^a\0b c\0$' }),
    stage('git', { argv: ['git', 'a', 'b c'] }),
    true,
  ],
  ['argPattern for no arguments', rule('git', { argPattern: '^\0\0$' }), stage('git'), true],
  [
    'argPattern that cannot run in linear time',
    rule('git', { argPattern: '(?=x)' }),
    stage('git x'),
    false,
  ],
  [
    'argPattern over an open word',
    rule('git', { argPattern: '.*' }),
    stage('git *', { globs: [1] }),
    false,
  ],
  [
    'args and argPattern, both must hold',
    rule('git', { args: ['status'], argPattern: 'diff' }),
    stage('git status'),
    false,
  ],
  [
    'a digest of folder and arguments',
    rule('git', { argPattern: `sha256:cwd-argv:v1:${digestOfArguments(cwd, ['status'])}` }),
    stage('git status'),
    true,
  ],
  [
    'such a digest in another folder',
    rule('git', { argPattern: `sha256:cwd-argv:v1:${digestOfArguments(cwd, ['status'])}` }),
    stage('git status', { cwd: '/tmp' }),
    false,
  ],
  ['a folder', allow('git', undefined, { cwd: '~/src/**' }), stage('git x'), true],
  ['the folder itself', allow('git', undefined, { cwd: `${cwd}/**` }), stage('git x'), true],
  ['another folder', allow('git', undefined, { cwd: '~/other/**' }), stage('git x'), false],
  [
    'a folder where none is known',
    allow('git', undefined, { cwd: '**' }),
    stage('git x', { cwd: null }),
    false,
  ],
  ['a host', allow('git', undefined, { host: 'node' }), stage('git x'), true, { host: 'node' }],
  ['another host', allow('git', undefined, { host: 'node' }), stage('git x'), false],
  ['another kind of request', allow('git', undefined, { kind: 'edit' }), stage('git x'), false],
  ['before the end', allow('git', undefined, { expiresAt: 1_001 }), stage('git x'), true],
  ['at the end', allow('git', undefined, { expiresAt: 1_000 }), stage('git x'), false],
  [
    'a write that is allowed',
    allow('git', undefined, { writes: [`${cwd}/*.log`] }),
    stage('git x', { writes: [`${cwd}/a.log`] }),
    true,
  ],
  [
    'a write that is not',
    allow('git', undefined, { writes: [`${cwd}/*.log`] }),
    stage('git x', { writes: [`${cwd}/a.log`, '/etc/x'] }),
    false,
  ],
  [
    'a folder that something is put into, under a glob of all below it',
    allow('git', undefined, { writes: [`${cwd}/out/**`] }),
    stage('git format-patch -o out', { effects: { ...noEffects, into: [`${cwd}/out`] } }),
    true,
  ],
  [
    'a folder that is deleted, under a glob of all below it',
    allow('git', undefined, { writes: [`${cwd}/out/**`] }),
    stage('git rm out', { effects: { ...noEffects, deletes: [`${cwd}/out`] } }),
    false,
  ],
  ['a write without leave', allow('git'), stage('git x', { writes: [`${cwd}/a.log`] }), false],
  [
    'reading below the folder under fixed arguments',
    allow('wc', ['-l']),
    stage('wc -l', { reads: [`${cwd}/a`] }),
    true,
  ],
  [
    'reading elsewhere under fixed arguments',
    allow('wc', ['-l']),
    stage('wc -l', { reads: ['/etc/passwd'] }),
    false,
  ],
  [
    'reading elsewhere under free arguments',
    allow('wc'),
    stage('wc -l', { reads: ['/etc/passwd'] }),
    true,
  ],
  [
    'pinned, every word written out',
    allow('npm', ['run', 'build']),
    stage('npm run build', { trust: pinned }),
    true,
  ],
  [
    'pinned, anything after',
    allow('npm', ['run', '...']),
    stage('npm run build', { trust: pinned }),
    false,
  ],
  ['pinned, no arguments named', allow('npm'), stage('npm run build', { trust: pinned }), false],
  [
    'pinned, a wildcard',
    allow('npm', ['run', '*']),
    stage('npm run build', { trust: pinned }),
    false,
  ],
  [
    'pinned, an exact expression',
    rule('npm', { argPattern: '^run build$' }),
    stage('npm run build', { trust: pinned }),
    true,
  ],
  [
    'pinned, an open expression',
    rule('npm', { argPattern: '^run .*$' }),
    stage('npm run build', { trust: pinned }),
    false,
  ],
  [
    'pinned, words that hide a blank',
    rule('npm', { argPattern: '^run build$' }),
    stage('npm', { argv: ['npm', 'run build'], trust: pinned }),
    false,
  ],
  [
    'pinned, code through a redirection',
    allow('python3', ['-']),
    stage('python3 -', { trust: pinned, reads: [`${cwd}/x`] }),
    false,
  ],
  [
    'findings below the bound',
    allow('rm', undefined, { maxRisk: 'low' }),
    stage('rm -rf /tmp/demo'),
    true,
  ],
  [
    'findings above the bound',
    allow('rm', undefined, { maxRisk: 'low' }),
    stage('rm -rf /'),
    false,
  ],
  ['findings without a bound', allow('rm'), stage('rm -rf /'), true],
  ['every program', allow('**'), stage('make'), true],
  ['an empty pattern', allow(''), stage('make'), false],
];

describe('an allow rule on', () => {
  it.each(rows)('%s', (_, one, target, covered, situation = {}) => {
    const verdict = verdictOn(plan(target), { ...situation, rules: [one] });
    expect(verdict.decision).toBe(covered ? 'allow' : 'ask');
    expect(verdict.matches[0]?.rule).toBe(covered ? one : null);
    if (!covered) expect(verdict.message).toMatch(/^\S.*\.$/s);
  });
});

const denials: readonly [what: string, rule: Rule, stage: Stage, situation?: Situation][] = [
  ['a name, however it is called', rule('rm'), stage('/bin/rm x')],
  ['a name behind a link', rule('python3.11'), stage('python3 x', { executable: python })],
  ['a link by its own path', rule('/usr/bin/python3'), stage('python3 x', { executable: python })],
  ['the interpreter of a script', rule('bash'), stage('./tool.sh', { executable: script })],
  [
    'what a wrapper runs',
    rule('timeout'),
    stage('git x', {
      wrappers: [
        { label: 'timeout', executable: program('timeout'), argv: ['timeout', '5', 'git', 'x'] },
      ],
    }),
  ],
  [
    'what a program carries',
    rule('rm', { args: ['-rf', '...'] }),
    stage('xargs rm -rf', { carries: [stage('rm -rf x')] }),
  ],
  [
    'a program that is not there',
    rule('/opt/x/nope'),
    stage('nope', { executable: { kind: 'missing', name: 'nope' } }),
  ],
  [
    'words that may become the denied ones',
    rule('rm', { args: ['/etc'] }),
    stage('rm *', { globs: [1] }),
  ],
  ['a folder that is not known', rule('rm', { cwd: '/etc/**' }), stage('rm x', { cwd: null })],
  [
    'a write anywhere',
    rule('**', { writes: ['~/.ssh/**'] }),
    stage('make', { writes: ['/home/me/.ssh/x'] }),
  ],
  ['content that cannot be read', rule('rm', { sha256: hash }), stage('rm x')],
  [
    'an expression over open words',
    rule('rm', { argPattern: 'etc' }),
    stage('rm *', { globs: [1] }),
  ],
];

describe('a deny rule holds for', () => {
  it.each(denials)('%s', (_, one, target, situation = {}) => {
    const rules = [allow('**'), { ...one, effect: 'deny' as const }];
    expect(verdictOn(plan(target), { ...situation, rules }).reason).toBe('rule-deny');
  });

  it.each([
    ['another program', rule('rm'), stage('make')],
    ['other arguments', rule('git', { args: ['push', '...'] }), stage('git pull')],
    ['another folder', rule('rm', { cwd: '/etc/**' }), stage('rm x')],
    ['other writes', rule('**', { writes: ['~/.ssh/**'] }), stage('make')],
    ['another host', rule('rm', { host: 'node' }), stage('rm x')],
  ])('but not for %s', (_, one, target) => {
    const rules = [allow('**', undefined), { ...one, effect: 'deny' as const }];
    expect(verdictOn(plan(target), { rules }).reason).not.toBe('rule-deny');
  });
});
