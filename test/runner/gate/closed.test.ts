import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refuse } from '../../../shared/base/refusal.ts';
import type { AuditRow } from '../../../runner/audit/rows.ts';
import { temporaryFolder } from '../hosts/support.ts';
import { answered, bench, codeOf, fullPolicy, incoming } from './support.ts';

const broken = (): never => {
  throw new Error('secret detail');
};

test.each([
  ['config', { config: broken }],
  ['policy', { policy: { document: broken, used: () => {} } }],
  ['the analysis', { engine: { ...bench().ports.engine, analyse: async () => broken() } }],
  ['the decision', { engine: { ...bench().ports.engine, decide: broken } }],
  ['approver', { approver: { ask: async () => broken() } }],
  ['ancestry', { ancestry: async () => broken() }],
  ['limits', { limits: { meter: () => {}, tool: () => {}, ask: () => () => {}, enter: broken } }],
] as const)(
  'an unknown error in %s refuses, and tells the caller nothing of it',
  async (_name, ports) => {
    const { exec, ran, logged } = bench({ ports });
    const done = await exec({ argv: ['touch', 'x'] });
    expect(codeOf(done)).toBe('host-unavailable');
    expect(JSON.stringify(done)).not.toContain('secret detail');
    expect(logged.join()).toContain('secret detail');
    expect(ran).toEqual([]);
  },
);

test('while everything is locked an agent hears that, not that its key is worthless', async () => {
  const wrongKey = async (): Promise<never> => {
    throw refuse('hmac-fail', 'The signature is not right.', 'Rekey.');
  };
  let mode: 'armed' | 'locked' = 'locked';
  const { exec, gate, ran } = bench({
    stop: () => ({ mode, reason: null }),
    ports: { callers: { signer: wrongKey, keyState: () => 'revoked' } },
  });
  const call = { headers: {}, method: 'POST', path: '/v1/exec', body: {} };
  const signed = { ...incoming({ argv: ['ls'] }), call };
  const io = { emit: () => undefined, gone: new AbortController().signal };
  for (const ask of [gate.exec(signed, io), gate.permit(signed, io, 'ticket')])
    expect(await ask).toMatchObject({ ok: false, refusal: { code: 'lockout-active' } });
  await expect(gate.check(signed)).rejects.toMatchObject({ refusal: { code: 'lockout-active' } });
  expect(codeOf(await exec({ argv: ['ls'] }))).toBe('lockout-active');
  mode = 'armed';
  expect(codeOf(await exec({ argv: ['ls'] }))).toBe('hmac-fail');
  expect(ran).toEqual([]);
});

test('without a record nothing runs', async () => {
  const { exec, ran } = bench({
    policy: fullPolicy,
    ports: { audit: { ...bench().ports.audit, durable: async () => broken() } },
  });
  expect(codeOf(await exec({ argv: ['ls'] }))).toBe('audit-unavailable');
  expect(ran).toEqual([]);
});

test('a refusal stays a refusal when it cannot be written down', async () => {
  const { exec } = bench({
    policy: { version: 1 },
    ports: { audit: { ...bench().ports.audit, durable: async () => broken() } },
  });
  expect(codeOf(await exec({ argv: ['ls'] }))).toBe('policy-deny');
});

test('a lockout between the decision and the start stops the start', async () => {
  let mode: 'armed' | 'locked' = 'armed';
  const rows: AuditRow[] = [];
  const base = bench().ports.audit;
  const { exec, ran } = bench({
    policy: fullPolicy,
    stop: () => ({ mode, reason: null }),
    ports: {
      audit: {
        ...base,
        durable: async (row) => {
          rows.push(row);
          mode = 'locked';
        },
      },
    },
  });
  expect(codeOf(await exec({ argv: ['ls'] }))).toBe('lockout-active');
  expect(ran).toEqual([]);
  expect(rows).toMatchObject([
    { type: 'decision', decision: 'allow' },
    { type: 'outcome', outcome: 'not-executed', code: 'lockout-active' },
  ]);
});

test.each(['locked', 'paused'] as const)('nothing is admitted while %s', async (mode) => {
  const { exec, ran, asked } = bench({ stop: () => ({ mode, reason: 'x' }) });
  const code = mode === 'locked' ? 'lockout-active' : 'pause-active';
  expect(codeOf(await exec({ argv: ['ls'] }))).toBe(code);
  expect([ran, asked]).toEqual([[], []]);
});

test('a host that fails to start leaves the log with "not executed"', async () => {
  const { exec, rows } = bench({
    policy: fullPolicy,
    run: async () => {
      throw refuse('host-unavailable', 'No.', 'Later.');
    },
  });
  expect(codeOf(await exec({ argv: ['ls'] }))).toBe('host-unavailable');
  expect(rows.at(-1)).toMatchObject({ outcome: 'not-executed', code: 'host-unavailable' });
});

test('a host that breaks down leaves the log with "unknown"', async () => {
  const { exec, rows } = bench({ policy: fullPolicy, run: async () => broken() });
  expect(codeOf(await exec({ argv: ['ls'] }))).toBe('host-unavailable');
  expect(rows.at(-1)).toMatchObject({ outcome: 'unknown' });
});

test('a caller who went away before the start gets nothing started', async () => {
  const gone = new AbortController();
  const { exec, ran } = bench({ policy: fullPolicy });
  gone.abort();
  expect(codeOf(await exec({ argv: ['ls'] }, gone.signal))).toBe('requester-gone');
  expect(ran).toEqual([]);
});

const drifts: readonly (readonly [string, (folder: string) => void])[] = [
  ['the script is rewritten', (folder) => writeFileSync(join(folder, 'tool'), '#!/bin/sh\nevil\n')],
  [
    'the script is replaced',
    (folder) => {
      writeFileSync(join(folder, 'other'), '#!/bin/sh\n:\n', { mode: 0o755 });
      renameSync(join(folder, 'other'), join(folder, 'tool'));
    },
  ],
  ['the script loses its mode', (folder) => chmodSync(join(folder, 'tool'), 0o600)],
  [
    'the folder is swapped',
    (folder) => {
      renameSync(folder, `${folder}-old`);
      mkdirSync(folder);
      renameSync(`${folder}-old/tool`, join(folder, 'tool'));
    },
  ],
  [
    'the folder becomes a link',
    (folder) => {
      renameSync(folder, `${folder}-old`);
      symlinkSync(`${folder}-old`, folder);
    },
  ],
];

test.each(drifts)('what was approved is what runs: %s', async (_name, change) => {
  const folder = join(temporaryFolder(), 'work');
  mkdirSync(folder);
  writeFileSync(join(folder, 'tool'), '#!/bin/sh\n:\n', { mode: 0o755 });
  const { exec, ran, rows } = bench({
    answer: (draft) => {
      change(folder);
      return answered(draft, { decision: 'allow-once' });
    },
  });
  expect(codeOf(await exec({ argv: ['./tool'], cwd: folder }))).toBe('binding-drift');
  expect(ran).toEqual([]);
  expect(rows).toMatchObject([{ decision: 'deny', code: 'binding-drift' }]);
});

test('a file that an interpreter was to run is bound as well', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'build.py'), 'print(1)\n');
  const { exec, ran } = bench({
    answer: (draft) => {
      writeFileSync(join(folder, 'build.py'), 'import os\n');
      return answered(draft, { decision: 'allow-once' });
    },
  });
  const python = { argv: ['/usr/bin/env', 'perl', 'build.py'], cwd: folder };
  expect(codeOf(await exec(python))).toBe('binding-drift');
  expect(ran).toEqual([]);
});

test('nothing changed: the approved script runs', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'tool'), '#!/bin/sh\n:\n', { mode: 0o755 });
  const { exec } = bench({ answer: (draft) => answered(draft, { decision: 'allow-once' }) });
  expect(codeOf(await exec({ argv: ['./tool'], cwd: folder }))).toBe('ran 0');
});

test('the answer waits for the disk before a command runs, and not after it has ended', async () => {
  const rows: AuditRow[] = [];
  let onDisk: () => void = () => {};
  const base = bench().ports.audit;
  const { exec, ran } = bench({
    policy: fullPolicy,
    ports: {
      audit: {
        ...base,
        durable: async (row) => {
          rows.push(row);
          return row.type === 'outcome'
            ? new Promise(() => {})
            : new Promise((on) => (onDisk = on));
        },
      },
    },
  });
  const answer = exec({ argv: ['ls'] });
  await expect.poll(() => rows.length).toBe(1);
  expect(ran).toEqual([]);
  onDisk();
  expect(await answer).toMatchObject({ result: { ok: true } });
  expect(rows.at(-1)).toMatchObject({ type: 'outcome', outcome: 'executed' });
});
