import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { valueLines } from '../../../runner/cli/commands/policy.ts';
import { checkConfig } from '../../../runner/cli/config-check.ts';
import { claimsFrom } from '../../../runner/cli/trust-claims.ts';
import { parseConfig } from '../../../shared/engine/config-schema.ts';
import type { SandboxProbe } from '../../../runner/hosts/sandbox/probe.ts';
import { refuse } from '../../../shared/base/refusal.ts';
import { changeTrustedProjects, readProjectFile } from '../../../shared/home/trusted-projects.ts';
import { fakeRunner, json } from './fake-runner.ts';
import { cli, temporaryHome } from './support.ts';

let place: ReturnType<typeof temporaryHome>;

beforeEach(() => {
  place = temporaryHome();
  mkdirSync(place.home, { mode: 0o700, recursive: true });
});
afterEach(() => place.remove());

const users = [
  { name: 'me', trust: 'owner', match: ['terminal:default', 'signal:me'] },
  { name: 'ben', trust: 'inner', match: ['signal:ben'] },
];

function write(name: string, value: unknown): void {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  writeFileSync(join(place.home, name), text, { mode: 0o600 });
}

const run = async (...args: readonly string[]) =>
  cli({ home: place.home, cwd: place.folder }, ...args);

describe('interlock trust explain', () => {
  beforeEach(() => write('config.json', { version: 1, users }));

  it('says as whom a request counts, why, and what that means', async () => {
    const { out, exitCode } = await run('trust', 'explain', '--channel', 'signal:me', '--group');
    expect(exitCode).toBe(0);
    expect(out).toBe(
      [
        'Counts as familiar, for me, by signal:me.',
        '    terminal:default is me, owner.',
        '    signal:me is me, owner.',
        '  → It comes from a group, whose ceiling is familiar.',
        '  commands:    none',
        '  files:       read alone',
        '  other tools: none',
        '  memories:    social',
        '',
      ].join('\n'),
    );
  });

  it('says the same as JSON', async () => {
    const { out } = await run('trust', 'explain', '--user', 'ben', '--json');
    expect(JSON.parse(out)).toMatchObject({
      level: 'inner',
      users: ['me', 'ben'],
      channel: 'terminal:default',
      may: { shell: 'sandbox', files: 'workspace', otherTools: false },
      memory: ['shared', 'social'],
    });
  });

  it('says nothing of settings that are not valid', async () => {
    write('config.json', { version: 1, users: [{ name: 'me' }] });
    const { err, exitCode } = await run('trust', 'explain');
    expect(exitCode).not.toBe(0);
    expect(err).toContain('users[0] lacks the field "trust", which goes with a "name"');
  });
});

describe('interlock check', () => {
  it('holds each line of a batch to whom it is for, and says so', async () => {
    write('config.json', { version: 1, users });
    write('exec-approvals.json', { version: 1, agents: { '*': { security: 'full', ask: 'off' } } });
    const lines = [
      {},
      { channel: 'signal:ben' },
      { channel: 'signal:me', group: true },
      { user: 'stranger' },
      { channel: 'signal:ben', kind: 'fetch', target: 'https://example.org/' },
    ];
    const stdin = lines
      .map((line) => JSON.stringify('kind' in line ? line : { command: 'touch x', ...line }))
      .join('\n');
    const { out } = await cli({ home: place.home, cwd: place.folder, stdin }, 'check', '--batch');
    const said = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { verdict: string; reason: string; host: string });
    expect(said.map(({ verdict, reason, host }) => `${verdict} ${reason} ${host}`)).toEqual([
      'allow security-full gateway',
      'allow security-full sandbox',
      'deny trust-level gateway',
      'deny trust-level gateway',
      'deny trust-level sandbox',
    ]);
    const one = await run('check', '--channel', 'signal:me', '--group', '--', 'true');
    expect(one.out).toContain(
      'Who asks counts as "familiar" here, and that level runs no commands.',
    );
  });
});

test.each([
  [{}, {}, {}],
  [{ user: 'a' }, { INTERLOCK_USER: 'b' }, { user: 'a' }],
  [
    {},
    { INTERLOCK_USER: 'b', INTERLOCK_CHANNEL: 'signal:x', INTERLOCK_GROUP: '1' },
    { user: 'b', channel: 'signal:x', group: true },
  ],
  [{}, { INTERLOCK_USER: '', INTERLOCK_CHANNEL: '', INTERLOCK_GROUP: '0' }, {}],
])('for whom: the flags %j and the environment %j', (flags, env, claims) => {
  expect(claimsFrom(flags, env)).toEqual(claims);
});

describe('interlock config check', () => {
  const good: SandboxProbe = {
    ok: true,
    problem: null,
    rung: 'box',
    failed: [],
    capabilities: [],
    groups: { ok: false, problem: 'none' },
  };
  const lacking = {
    name: 'landlock',
    title: 'Landlock',
    ok: false,
    detail: 'not held',
    advice: 'A newer kernel has it.',
  } as const;

  const found = async (
    file: unknown,
    {
      probe = good,
      uid = 1000,
      off = '',
    }: { probe?: SandboxProbe; uid?: number; off?: string } = {},
  ): Promise<readonly string[]> => {
    const findings = await checkConfig({
      file: parseConfig(JSON.stringify(file)),
      uid,
      probe: async () => probe,
      sysctl: (name) => (name === off ? '0' : '1'),
    });
    return findings.map(({ level, code }) => `${level} ${code}`);
  };

  it.each<[string, unknown, string]>([
    ['memory without a number', { sandbox: { memory: 'much' } }, 'sandbox.memory'],
    ['memory of one user in another unit', { sandbox: { memory: '2T' } }, 'sandbox.memory'],
    ['no processes', { sandbox: { processes: 0 } }, 'sandbox.processes'],
    ['a level that there is not', { users: [{ name: 'a', trust: 'king' }] }, 'users[0].trust'],
    [
      'a channel without a kind',
      { users: [{ name: 'a', trust: 'full', match: ['*'] }] },
      'users[0].match[0]',
    ],
    [
      'two of one name',
      {
        users: [
          { name: 'a', trust: 'full' },
          { name: 'a', trust: 'full' },
        ],
      },
      'users[1] has the name "a"',
    ],
    [
      'agents without a uid',
      { users: [{ name: 'a', trust: 'full', agents: ['*'] }] },
      'users[0] lacks the field "uid"',
    ],
    [
      'trust without a name',
      { users: [{ uid: 5, agents: [], trust: 'full' }] },
      'users[0] lacks the field "name"',
    ],
    ['an empty entry', { users: [{}] }, 'users[0] lacks the field "uid"'],
  ])('has an error for %s', async (_what, fields, named) => {
    const parsed = parseConfig(JSON.stringify({ version: 1, ...(fields as object) }));
    expect(parsed.ok ? '' : parsed.problem.message).toContain(named);
    expect(await found({ version: 1, ...(fields as object) })).toEqual(['error config-invalid']);
  });

  it('has an error where a sandbox is wanted and cannot be had, and for what switched it off', async () => {
    const { problem } = { problem: 'namespaces: EPERM' };
    const probe = { ...good, ok: false, problem, capabilities: [lacking] };
    const wanted = { version: 1, exec: { host: 'sandbox' }, users };
    expect(await found(wanted, { probe })).toEqual(['error sandbox-unavailable']);
    expect(await found({ version: 1 }, { probe })).toEqual([]);
    const off = 'kernel.unprivileged_userns_clone';
    expect(await found(wanted, { probe, off })).toEqual([
      'error sandbox-unavailable',
      'error namespaces-off',
    ]);
    expect(await found(wanted, { probe, off, uid: 0 })).toEqual(['error sandbox-unavailable']);
    expect(await found(wanted, { probe, off: 'user.max_user_namespaces', uid: 0 })).toEqual([
      'error sandbox-unavailable',
      'error namespaces-off',
    ]);
  });

  it('warns of a weaker sandbox, several owners, and a sandbox without one', async () => {
    const probe = { ...good, capabilities: [lacking] };
    const exec = { host: 'sandbox' };
    expect(await found({ version: 1, exec, users }, { probe })).toEqual([
      'warning sandbox-degraded',
    ]);
    expect(await found({ version: 1, exec })).toEqual(['warning no-owner']);
    const two = [...users, { name: 'you', trust: 'owner', match: ['signal:you'] }];
    expect(await found({ version: 1, exec, users: two })).toEqual(['warning several-owners']);
  });

  it('ends with 1 for errors, and for warnings only where one is strict', async () => {
    write('config.json', { version: 1 });
    expect(await run('config', 'check')).toMatchObject({
      exitCode: 0,
      out: 'config.json is in order.\n',
    });
    write('config.json', { version: 1, users: [{ name: 'a', trust: 'owner' }] });
    const warned = await run('config', 'check');
    expect(warned.exitCode).toBe(0);
    expect(warned.out).toContain('warning  Nothing leads to "a"');
    expect((await run('config', 'check', '--strict')).exitCode).toBe(1);
    write('config.json', '{"version": 1, "sandbox": {"memory": "lots"}}');
    const broken = await run('config', 'check', '--json');
    expect(broken.exitCode).toBe(1);
    expect(JSON.parse(broken.out)).toMatchObject({ ok: false, errors: 1, warnings: 0 });
  });

  it('tells a file that cannot be read from one that is in order', async () => {
    const { refusal: problem } = refuse('config-invalid', 'No.', 'Mend it.');
    const findings = await checkConfig({
      file: { ok: false, problem },
      uid: 1000,
      probe: async () => Promise.reject(new Error('not asked')),
      sysctl: () => null,
    });
    expect(findings).toMatchObject([{ level: 'error', text: 'No.', advice: 'Mend it.' }]);
  });
});

describe('interlock policy', () => {
  const project = (): string => join(place.folder, '.interlock.json');
  beforeEach(() => {
    write('exec-approvals.json', { version: 1, agents: { '*': { security: 'full', ask: 'off' } } });
    writeFileSync(
      project(),
      JSON.stringify({ version: 1, deny: [{ pattern: 'ls', note: 'no lists here' }] }),
    );
  });
  const explained = async () => JSON.parse((await run('policy', 'explain', '--json', 'ls')).out);

  it('names every kind of layer, and where it stands', async () => {
    const lines = async (...more: readonly string[]): Promise<string> =>
      (await run('policy', 'explain', '--agent', 'claude', ...more, '--', 'ls')).out;
    const agents = { claude: { security: 'full' }, '*': { ask: 'off' } };
    write('exec-approvals.json', { version: 1, agents });
    const said = await lines();
    expect(said).toContain('askFallback  deny (built-in: the default)\n');
    expect(said).toContain(
      'security     full (agent: agents.claude.security of exec-approvals.json)\n',
    );
    expect(said).toContain('ask          off (person: agents.*.ask of exec-approvals.json)\n');

    const asked = await lines('--ask', 'always', '--security', 'allowlist');
    expect(asked).toContain('ask          always (request: the request)\n');
    expect(asked).toContain('security     allowlist (request: the request)\n');
    write('config.json', { version: 1, exec: { host: 'sandbox', hosts: ['gateway'] } });
    expect(await lines()).toContain('host         sandbox (person: exec.host of config.json)\n');
    expect(await lines('--host', 'gateway')).toContain(
      'host         gateway (request: host of the request)\n',
    );
    expect(await lines('--host', 'node')).toContain('host         refused: ');
    expect((await run('policy', 'explain', '--ask', 'never', '--', 'ls')).err).toContain(
      'It is one of: always, on-miss, off.',
    );
    rmSync(join(place.home, 'config.json'));

    const text = JSON.stringify({ version: 1, ask: 'on-miss' });
    mkdirSync(join(place.home, 'state'), { recursive: true, mode: 0o700 });
    const fleet = join('state', 'fleet.json');
    write(fleet, { version: 1, policy: { seq: 1, text }, lockout: 0 });
    expect(await lines()).toContain(`ask          on-miss (fleet: ${join(place.home, fleet)})\n`);

    writeFileSync(project(), JSON.stringify({ version: 1, security: 'deny' }));
    const found = readProjectFile(place.folder);
    if (found.state !== 'valid') throw new Error(found.state);
    const trusted = join(place.home, 'trusted-projects.json');
    await changeTrustedProjects(trusted, process.getuid?.() ?? 0, () => [
      { ...found.project, trustedAt: 0 },
    ]);
    expect(await lines()).toContain(`security     deny (project: ${project()})\n`);

    const setting = '/etc/interlock/policy.d/10.json';
    expect(valueLines({ ask: { value: 'always', layer: 'managed', setting } })).toEqual([
      `ask          always (managed: ${setting})`,
    ]);
  });

  it('counts what a session has of its own, in the values and in the verdict', async () => {
    const runner = await fakeRunner(join(place.home, 'runner.sock'), (_, response) =>
      json(response, 200, { ok: true, own: { security: 'deny' }, raised: {} }),
    );
    try {
      const { out } = await run('policy', 'explain', '--agent', 'a', '--session', 's1', '--', 'ls');
      expect(out).toContain('security     deny (session: the session)\n');
      expect(out).toContain('security-deny');
      expect(runner.seen).toMatchObject([
        { path: '/v1/sessions/override', body: { agent: 'a', session: 's1', text: '/exec' } },
      ]);
    } finally {
      await runner.close();
    }
  });

  it('leaves the file of a project out that no person has trusted, and says so', async () => {
    const { ignored, verdict } = await explained();
    expect(verdict.reason).toBe('security-full');
    expect(ignored).toMatchObject([{ path: project() }]);
  });

  it('names the file and the rule that decided, and what the rule says', async () => {
    const found = readProjectFile(place.folder);
    if (found.state !== 'valid') throw new Error(found.state);
    const list = join(place.home, 'trusted-projects.json');
    await changeTrustedProjects(list, process.getuid?.() ?? 0, () => [
      { ...found.project, trustedAt: 0 },
    ]);
    const { ignored, rules, verdict } = await explained();
    expect(verdict.reason).toBe('rule-deny');
    expect(rules).toEqual([
      {
        ruleId: `project:${project()}:0`,
        place: project(),
        says: expect.stringMatching(/^deny .*\(no lists here\)$/),
      },
    ]);
    expect(ignored).toEqual([]);
  });

  it('lets nobody but a person at a terminal trust one', async () => {
    for (const word of ['trust', 'untrust']) {
      const { err, exitCode } = await run('policy', word);
      expect(exitCode).not.toBe(0);
      expect(err).toContain('Only a person at a terminal');
    }
  });
});
