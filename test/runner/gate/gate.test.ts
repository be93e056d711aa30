import { describe, expect, it, test } from 'vitest';
import { refuse } from '../../../shared/base/index.ts';
import { defaultConfig } from '../../../shared/engine/config.ts';
import type { Incoming } from '../../../runner/gate/request-context.ts';
import { answered, askPolicy, bench, codeOf, fullPolicy, incoming, ownUid } from './support.ts';

test('a person says yes once: the command runs, and everybody learns what happened', async () => {
  const { exec, rows, ran, ports } = bench({
    answer: (draft, { onPending }) => {
      onPending({ ...draft, createdAt: 1, expiresAt: 2 });
      return answered(draft, { decision: 'allow-once' });
    },
  });
  const { result, events } = await exec({ argv: ['touch', 'x'], session: 's1' });
  expect(result).toMatchObject({ ok: true, outcome: { exitCode: 0 }, output: { stdout: 'out\n' } });
  expect(events.map(({ type }) => type)).toEqual(['pending', 'started', 'stdout', 'finished']);
  expect(ran).toHaveLength(1);
  expect(rows.map(({ type }) => type)).toEqual(['decision', 'starting', 'outcome']);
  expect(rows[0]).toMatchObject({ decision: 'allow', code: 'allow-once', by: 'person' });
  expect(ports.events.drain('s1').events).toEqual([
    'Exec started (node=gateway, id=id-1)',
    'Exec finished (node=gateway, id=id-1, code=0)\nout\n',
  ]);
});

test('a person says no: nothing runs and the note reaches the agent', async () => {
  const { exec, rows, ran, ports } = bench({
    answer: (draft) => answered(draft, { decision: 'deny', note: 'Use the test folder.' }),
  });
  const done = await exec({ argv: ['touch', 'x'], session: 's1' });
  expect(done.result).toMatchObject({
    ok: false,
    refusal: {
      code: 'confirm-rejected',
      message: 'A person said no: Use the test folder.',
      hint: 'Do not ask for the same again; take another way or stop.',
    },
  });
  expect(ran).toEqual([]);
  expect(rows).toMatchObject([{ type: 'decision', decision: 'deny', by: 'person' }]);
  expect(ports.events.drain('s1').events).toEqual([
    'Exec denied (node=gateway, id=id-1, confirm-rejected)',
  ]);
});

test('a rule that denies tells the agent what the person wrote beside it', async () => {
  const note = 'Use the test folder.';
  const { exec } = bench({
    policy: {
      version: 1,
      agents: {
        '*': {
          security: 'full',
          allowlist: [{ id: 'r1', effect: 'deny', pattern: 'touch', note }],
        },
      },
    },
  });
  const { result } = await exec({ argv: ['touch', 'x'] });
  expect(result).toMatchObject({ ok: false, refusal: { code: 'policy-deny', hint: note } });
});

test.each([
  ['expired', { kind: 'expired' }, 'approval-timeout'],
  ['lost', { kind: 'lost', detail: 'Gone.' }, 'approver-unavailable'],
  ['locked meanwhile', { kind: 'stopped', reason: 'lockout' }, 'lockout-active'],
  ['paused meanwhile', { kind: 'stopped', reason: 'pause' }, 'pause-active'],
  ['requester gone', { kind: 'stopped', reason: 'requester-gone' }, 'requester-gone'],
] as const)('an ask that ends without a yes is not allowed: %s', async (_name, ending, code) => {
  const { exec, ran } = bench({
    policy: {
      version: 1,
      agents: { '*': { security: 'full', ask: 'always', askFallback: 'full' } },
    },
    answer: () => ending,
  });
  expect(codeOf(await exec({ argv: ['true'] }))).toBe(code);
  expect(ran).toEqual([]);
});

test('an ask that ends because its box was locked says so, and not that everything was', async () => {
  const locked = new Set<string>();
  const { exec, ran, ports } = bench({
    answer: () => {
      locked.add('fix');
      return { kind: 'stopped', reason: 'box-lockout' };
    },
  });
  const refusal = refuse('lockout-active', 'The box "fix" is locked.', 'Wait.');
  ports.arming.check = () => {
    if (locked.has('fix')) throw refusal;
  };
  const { result } = await exec({ argv: ['touch', 'x'] });
  expect(result).toEqual(expect.objectContaining({ ok: false, refusal: refusal.refusal }));
  expect(ran).toEqual([]);
});

test('an answer that is neither yes nor no counts as no', async () => {
  const { exec, ran } = bench({
    answer: (draft) => answered(draft, { decision: 'perhaps' as 'deny' }),
  });
  expect(codeOf(await exec({ argv: ['touch', 'x'] }))).toBe('confirm-rejected');
  expect(ran).toEqual([]);
});

test.each([
  ['deny', 'allowlist', 'approver-unavailable'],
  ['allowlist', 'allowlist', 'approver-unavailable'],
  ['full', 'full', 'ran 0'],
  ['full', 'allowlist', 'approver-unavailable'],
] as const)(
  'with nobody to ask, askFallback %s under security %s: %s',
  async (askFallback, security, outcome) => {
    const { exec } = bench({
      policy: { version: 1, agents: { '*': { security, ask: 'always', askFallback } } },
    });
    expect(codeOf(await exec({ argv: ['touch', 'x'] }))).toBe(outcome);
  },
);

test('security deny refuses without asking', async () => {
  const { exec, asked } = bench({ policy: { version: 1, defaults: { security: 'deny' } } });
  expect(codeOf(await exec({ argv: ['ls'] }))).toBe('policy-deny');
  expect(asked).toEqual([]);
});

test('a request may tighten the policy and never loosen it', async () => {
  const tightened = bench({ policy: fullPolicy });
  expect(codeOf(await tightened.exec({ argv: ['ls'], security: 'deny' }))).toBe('policy-deny');
  const loosened = bench({ policy: { version: 1, defaults: { security: 'deny' } } });
  expect(codeOf(await loosened.exec({ argv: ['ls'], security: 'full' }))).toBe('policy-deny');
});

test('what runs is the canonical plan, not the text', async () => {
  const { exec, ran } = bench({ policy: fullPolicy });
  await exec({ command: 'ls   -l|head -3' });
  const execution = ran[0]?.task.execution;
  expect(execution).toMatchObject({ kind: 'shell' });
  expect(JSON.stringify(execution)).toContain("/head' '-3'");
});

test('text that a person approved as opaque runs as it was shown, byte for byte', async () => {
  const { exec, ran, asked } = bench({
    answer: (draft) => answered(draft, { decision: 'allow-once' }),
  });
  const command = 'for f;  do echo "$f"; done # all';
  await exec({ command });
  expect(asked[0]?.opaque).not.toBeNull();
  expect(asked[0]).toMatchObject({
    whyCode: 'opaque',
    whyNotAlways: 'What it would run cannot be told before it runs, so no rule can cover it.',
  });
  expect(ran[0]?.task.execution).toEqual({ kind: 'shell', text: command });
});

test('a program that is not there ends with 127, and nobody is asked about it', async () => {
  const { exec, asked, ran } = bench();
  await exec({ argv: ['no-such-program-here'] });
  expect(asked).toEqual([]);
  expect(ran[0]?.task.execution).toEqual({ kind: 'missing', name: 'no-such-program-here' });
});

test.each([
  ['both forms', { argv: ['ls'], command: 'ls' }],
  ['neither form', {}],
  ['an empty program', { argv: [''] }],
  ['a folder that is gone', { argv: ['ls'], cwd: '/no/such/folder' }],
  ['a file as the folder', { argv: ['ls'], cwd: '/etc/passwd' }],
])('a request that makes no sense is refused in words: %s', async (_name, request) => {
  const { exec, ran } = bench({ policy: fullPolicy });
  expect(codeOf(await exec(request))).toBe('invalid-request');
  expect(ran).toEqual([]);
});

test('a request of a kind that has no analyser is refused', async () => {
  const { gate } = bench({ policy: fullPolicy });
  const request = { ...incoming({ argv: ['ls'] }), kind: 'egress' } as unknown as Incoming;
  const io = { emit: () => {}, gone: new AbortController().signal };
  expect(await gate.permit(request, io, 'elsewhere')).toMatchObject({
    refusal: { code: 'invalid-request' },
  });
});

test('only the configured host and node may be named', async () => {
  const { exec } = bench({ policy: fullPolicy });
  expect(codeOf(await exec({ argv: ['ls'], host: 'gateway' }))).toBe('ran 0');
  expect(codeOf(await exec({ argv: ['ls'], host: 'sandbox' }))).toBe('host-unavailable');
  expect(codeOf(await exec({ argv: ['ls'], node: 'mill' }))).toBe('host-unavailable');
});

test('whom the system does not name, or who is another user, is refused', async () => {
  const { gate, ran } = bench({ policy: fullPolicy });
  const io = { emit: () => {}, gone: new AbortController().signal };
  for (const peer of [null, { uid: ownUid + 1, pid: 1 }])
    expect(await gate.exec({ ...incoming({ argv: ['ls'] }), peer }, io)).toMatchObject({
      refusal: { code: 'hmac-fail' },
    });
  expect(ran).toEqual([]);
});

test('a check decides without asking, running or writing anything down', async () => {
  const { gate, asked, ran, rows } = bench({ policy: askPolicy });
  const body = await gate.check(incoming({ command: 'touch x && ls' }));
  expect(body).toMatchObject({ verdict: 'ask', host: 'gateway', security: 'allowlist' });
  expect([asked, ran, rows]).toEqual([[], [], []]);
});

describe('where it runs', () => {
  const elsewhere = (reply: { readonly ok: boolean }): unknown =>
    'refusal' in reply ? (reply.refusal as { code: string }).code : 'permitted';

  it('is refused and runs nowhere where the settings do not let the request have the host', async () => {
    const { exec, ran } = bench({ policy: fullPolicy });
    const { result } = await exec({ argv: ['true'], host: 'node' });
    expect(elsewhere(result)).toBe('host-unavailable');
    expect(ran).toEqual([]);
  });

  it.each(['node', 'sandbox'] as const)(
    'is never this machine for what an agent carries out itself, where commands run in: %s',
    async (host) => {
      const exec = { ...defaultConfig.exec, host };
      const { gate } = bench({ policy: fullPolicy, config: { exec } });
      const kind = 'exec';
      const request = { argv: ['true'], cwd: '/' };
      const io = { emit: () => undefined, gone: new AbortController().signal };
      const peer = { uid: ownUid, gid: 0, pid: 1 };
      expect(elsewhere(await gate.permit({ kind, request, peer }, io, 'elsewhere'))).toBe(
        'host-unavailable',
      );
    },
  );

  it('is decided no looser than the settings say, whatever the policy says', async () => {
    const exec = { ...defaultConfig.exec, security: 'deny' } as const;
    const { exec: ask, ran } = bench({ policy: fullPolicy, config: { exec } });
    expect(elsewhere((await ask({ argv: ['true'] })).result)).toBe('policy-deny');
    expect(ran).toEqual([]);
  });
});
