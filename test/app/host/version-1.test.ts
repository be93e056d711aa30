import { describe, expect, it } from 'vitest';
import { createAskQueue } from '../../../app/host/ask-queue.ts';
import { version1Handlers } from '../../../app/host/version-1.ts';
import type { ExecEvent } from '../../../shared/wire/api.ts';
import type { ExecRequest } from '../../../shared/wire/requests.ts';
import type { DecisionWord } from '../../../shared/engine/ask.ts';
import type { V1ExecRequest } from '../../../shared/wire/frames-v1.ts';
import { RunnerUnreachableError } from '../../../shared/ipc/runner-call.ts';
import type { RefusalCode } from '../../../shared/base/refusal.ts';

const all: readonly DecisionWord[] = ['allow-once', 'allow-always', 'deny'];

function open(events: readonly ExecEvent[] | Error = []) {
  const asks = createAskQueue({ now: () => 0, onChange: () => undefined });
  const requests: ExecRequest[] = [];
  let ids = 0;
  const handlers = version1Handlers({
    asks,
    runner: {
      exec: async function* exec(request) {
        requests.push(request);
        if (events instanceof Error) throw events;
        yield* events;
      },
    },
    now: () => 1_000,
    newId: () => `v1-${(ids += 1)}`,
    home: '/home/me',
    isFolder: (path) => path === '/home/me',
    look: () => Promise.reject(new Error('no analyser')),
    ancestryOf: (pid) => Promise.resolve([{ pid, name: 'openclaw', command: 'openclaw' }]),
  });
  const leaving = new AbortController();
  const context = { id: 'theirs', peer: { uid: 1, pid: 7 }, signal: leaving.signal };
  const waiting = async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    return asks.state().waiting[0];
  };
  return { asks, handlers, requests, leaving, context, waiting };
}

describe('the question of an older client', () => {
  it('joins the queue under an id of ours, with who asks, and nothing to remember', async () => {
    const { handlers, context, waiting } = open();
    void handlers.decide({ command: 'rm x', agentId: 'main', cwd: '/w' }, all, context);
    expect(await waiting()).toMatchObject({
      ask: {
        id: 'v1-1',
        agent: 'main',
        cwd: '/w',
        command: 'rm x',
        proposals: [],
        durations: ['once'],
        ancestry: [{ pid: 7 }],
        createdAt: 1_000,
        expiresAt: 16_000,
      },
    });
  });

  const answers: readonly (readonly [DecisionWord, readonly DecisionWord[], boolean, unknown])[] = [
    ['allow-once', all, true, 'allow-once'],
    ['deny', all, true, 'deny'],
    ['deny', ['allow-once'], true, null],
    ['allow-once', ['deny'], false, 'deny'],
  ];
  it.each(answers)('%s of %j is taken: %s, told: %s', async (decision, offered, taken, told) => {
    const { asks, handlers, context, waiting, leaving } = open();
    const answer = handlers.decide({ command: 'ls' }, offered, context);
    const queued = await waiting();
    const { id } = queued?.ask ?? { id: '' };
    const accepted = asks.answer({ id, askDigest: queued?.askDigest ?? '', decision });
    expect(accepted).toBe(taken);
    leaving.abort();
    if (taken) expect(await answer).toBe(told);
  });

  it('leaves the queue when the client leaves', async () => {
    const { asks, handlers, context, waiting, leaving } = open();
    const answer = handlers.decide({ command: 'ls' }, all, context);
    await waiting();
    leaving.abort();
    expect(await answer).toBeNull();
    expect(asks.state()).toMatchObject({ waiting: [], missed: [{ reason: 'requester-gone' }] });
  });

  it('never enters the queue when the client has left already', async () => {
    const { asks, handlers, context, leaving } = open();
    leaving.abort();
    expect(await handlers.decide({ command: 'ls' }, all, context)).toBeNull();
    expect(asks.state().missed).toEqual([]);
  });
});

const id = 'x';
const started: ExecEvent = { type: 'started', id, pid: 1, canonical: '' };
const finished = (exitCode: number | null, signal: string | null = null): ExecEvent => ({
  type: 'finished',
  id,
  exitCode,
  signal,
  durationMs: 1,
  truncated: false,
});
const refusedWith = (code: RefusalCode): ExecEvent => ({
  type: 'refused',
  id,
  refusal: { code, message: 'No.', hint: '' },
});
const request: V1ExecRequest = {
  command: ['echo', 'hi'],
  cwd: null,
  env: null,
  timeoutMs: null,
  agentId: null,
  sessionKey: 's',
  approvalDecision: 'allow-always',
};

describe('the command of an older client', () => {
  it('goes to the runner as any other, whatever was approved before', async () => {
    const { handlers, context, requests } = open([finished(0)]);
    await handlers.onExec({ ...request, timeoutMs: 20_000, env: { A: 'b' } }, context);
    expect(requests).toEqual([
      {
        argv: ['echo', 'hi'],
        cwd: '/home/me',
        agent: 'main',
        session: 's',
        timeoutMs: 20_000,
        env: { A: 'b' },
      },
    ]);
  });

  it('comes back with its output and status', async () => {
    const { handlers, context } = open([
      started,
      { type: 'stdout', id, data: 'h', encoding: 'utf8' },
      { type: 'stderr', id, data: 'IQ==', encoding: 'base64' },
      { type: 'stdout', id, data: 'i', encoding: 'utf8' },
      finished(3),
    ]);
    expect(await handlers.onExec(request, context)).toEqual({
      ok: true,
      payload: { exitCode: 3, timedOut: false, success: false, stdout: 'hi', stderr: '!' },
    });
  });

  const failures: readonly (readonly [string, readonly ExecEvent[] | Error, object])[] = [
    ['a person said no', [refusedWith('confirm-rejected')], { reason: 'user-denied' }],
    ['no rule allows it', [refusedWith('policy-deny')], { reason: 'allowlist-miss' }],
    ['nobody answered', [refusedWith('approval-timeout')], { reason: 'approval-cancelled' }],
    ['everything is locked', [refusedWith('lockout-active')], { reason: 'lockout-active' }],
    ['the request is wrong', [refusedWith('invalid-request')], { code: 'INVALID_REQUEST' }],
    ['there is no runner', new RunnerUnreachableError('None.', '/s'), { code: 'UNAVAILABLE' }],
    ['the runner breaks off', [started], { reason: 'runner-gone' }],
  ];
  it.each(failures)('is refused in its own words when %s', async (_name, events, error) => {
    const { handlers, context } = open(events);
    expect(await handlers.onExec(request, context)).toMatchObject({ ok: false, error });
  });

  it.each(['invalid-request', 'binding-drift', 'host-unavailable'] as const)(
    'is told that its folder is gone when that is why it was refused as %s',
    async (code) => {
      const { handlers, context } = open([refusedWith(code)]);
      expect(await handlers.onExec({ ...request, cwd: '/gone' }, context)).toMatchObject({
        ok: false,
        error: { code: 'UNAVAILABLE', reason: 'cwd-unavailable' },
      });
    },
  );

  it('is told the true reason of a refusal that its folder has no part in', async () => {
    const { handlers, context } = open([refusedWith('lockout-active')]);
    expect(await handlers.onExec({ ...request, cwd: '/gone' }, context)).toMatchObject({
      error: { reason: 'lockout-active' },
    });
  });

  it('is told as timed out when it took too long', async () => {
    const { handlers, context } = open([started, refusedWith('command-timeout')]);
    expect(await handlers.onExec(request, context)).toMatchObject({
      ok: true,
      payload: { timedOut: true, success: false },
    });
  });

  it('is told with the signal that ended it', async () => {
    const { handlers, context } = open([finished(null, 'SIGKILL')]);
    const outcome = await handlers.onExec(request, context);
    expect(outcome).toMatchObject({ ok: true, payload: { success: false } });
    expect(outcome).not.toHaveProperty('payload.exitCode');
  });
});
