import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { homePaths } from '../../../shared/home/paths.ts';
import { readStopState } from '../../../shared/home/stop-state.ts';
import type { StatusBody } from '../../../shared/wire/api.ts';
import { fakeRunner, json } from './fake-runner.ts';
import type { FakeRunner } from './fake-runner.ts';
import { cli, temporaryHome } from './support.ts';

let place: ReturnType<typeof temporaryHome>;
let runner: FakeRunner | null = null;
beforeEach(async () => {
  place = temporaryHome();
  await cli({ home: place.home }, 'init');
});
afterEach(async () => {
  await runner?.close();
  runner = null;
  place.remove();
});

async function answering(body: object): Promise<FakeRunner> {
  runner = await fakeRunner(join(place.home, 'runner.sock'), (_seen, response) =>
    json(response, 200, body),
  );
  return runner;
}

const stopped = { ok: true, stopped: 2, withdrawn: 3, keysRotated: 1, tokenRotated: true };

describe('interlock lockout', () => {
  it('tells what it stopped', async () => {
    const fake = await answering({ ...stopped, mode: 'locked' });
    const { exitCode, out } = await cli({ home: place.home }, 'lockout', '--reason', 'smoke');
    expect(exitCode).toBe(0);
    for (const line of [
      'commands stopped   2',
      'asks taken back    3',
      'agent keys revoked 1',
      'approvals token    rotated',
    ])
      expect(out).toContain(line);
    expect(fake.seen).toMatchObject([{ path: '/v1/lockout', body: { reason: 'smoke' } }]);
  });

  it('locks with the runner down as well', async () => {
    const { exitCode } = await cli({ home: place.home }, 'lockout', '--reason', 'smoke');
    expect(exitCode).toBe(0);
    const state = readStopState(homePaths({ INTERLOCK_HOME: place.home }));
    expect(state).toEqual({ mode: 'locked', reason: 'smoke' });
  });

  it('tells a program the same as JSON', async () => {
    const { out } = await cli({ home: place.home }, 'lockout', '--json');
    expect(JSON.parse(out)).toMatchObject({
      stopped: 0,
      keysRotated: 0,
      tokenRotated: true,
      runnerReached: false,
      stored: 'written',
      problems: [],
    });
  });
});

describe('interlock pause and resume', () => {
  it('pauses with a reason, and goes on', async () => {
    const fake = await answering({ ...stopped, mode: 'armed' });
    await cli({ home: place.home }, 'pause', '--reason', 'lunch');
    expect((await cli({ home: place.home }, 'resume')).out).toBe('Resumed.\n');
    expect(fake.seen).toMatchObject([
      { path: '/v1/pause', body: { reason: 'lunch' } },
      { path: '/v1/resume', body: {} },
    ]);
  });

  it('work by the file with the runner down', async () => {
    const paths = homePaths({ INTERLOCK_HOME: place.home });
    await cli({ home: place.home }, 'pause', '--reason', 'lunch');
    expect(readStopState(paths)).toEqual({ mode: 'paused', reason: 'lunch' });
    expect((await cli({ home: place.home }, 'resume')).exitCode).toBe(0);
    expect(readStopState(paths).mode).toBe('armed');
  });

  it('does not pretend to have ended a lockout', async () => {
    await answering({ ...stopped, mode: 'locked' });
    const { exitCode, out, err } = await cli({ home: place.home }, 'resume');
    expect({ exitCode, out }).toEqual({ exitCode: 126, out: '' });
    expect(err).toContain('lockout-active');
  });
});

const status: StatusBody = {
  ok: true,
  version: '0.1.0',
  pid: 7,
  startedAt: 0,
  mode: 'paused',
  reason: 'lunch',
  approver: { connected: false, socket: '/home/me/s' },
  policy: { valid: false, problem: 'It is empty.', hash: null },
  running: [{ id: 'r1', agent: 'claude', command: 'make', pid: 9, startedAt: 30_000 }],
  pending: [
    {
      askId: 'a1',
      agent: 'codex',
      command: `echo \u001b[2J\n${'x'.repeat(200)}`,
      expiresAt: 90_000,
    },
  ],
};

describe('interlock status', () => {
  it('says what is running and waiting, and what is wrong', async () => {
    await answering(status);
    const { out, exitCode } = await cli({ home: place.home, now: () => 60_000 }, 'status');
    expect(exitCode).toBe(0);
    for (const text of [
      'pid 7',
      'PAUSED',
      'lunch',
      'none: the fallback',
      'It is empty.',
      'make',
      '30 s left',
    ])
      expect(out).toContain(text);
    expect(out).not.toContain('\u001b');
    expect(out).toContain('… (cut;');
  });

  it('hands the answer on as JSON', async () => {
    await answering(status);
    const { out } = await cli({ home: place.home }, 'status', '--json');
    expect(JSON.parse(out)).toEqual(status);
  });

  it('says how to start a runner when there is none', async () => {
    const { exitCode, err } = await cli({ home: place.home }, 'status');
    expect(exitCode).toBe(125);
    expect(err).toContain('interlock up');
  });
});
