import { describe, expect, it } from 'vitest';
import { runRequest } from '../../../runner/cli/commands/run.ts';
import { streamingSink } from '../../../runner/cli/commands/run.ts';
import { rateLimitDelays } from '../../../runner/cli/commands/run.ts';
import type { ExecEvent } from '../../../shared/wire/api.ts';
import type { RefusalCode } from '../../../shared/base/refusal.ts';
import { testIo } from './support.ts';

const finished: ExecEvent = {
  type: 'finished',
  id: 'r1',
  exitCode: 0,
  signal: null,
  durationMs: 1,
  truncated: false,
};

/** A runner that refuses with this code a number of times, and the waits that this led to. */
async function tryWith(code: RefusalCode, times: number) {
  const world = testIo({ home: '/nowhere' });
  const slept: number[] = [];
  let calls = 0;
  async function* start(): AsyncGenerator<ExecEvent, void, undefined> {
    calls += 1;
    await Promise.resolve();
    yield calls <= times
      ? { type: 'refused', id: 'r1', refusal: { code, message: 'No.', hint: '' } }
      : finished;
  }
  const exitCode = await runRequest({
    start,
    io: world.io,
    sink: streamingSink(world.io),
    chatty: false,
    sleep: async (ms) => {
      slept.push(ms);
      return Promise.resolve();
    },
  });
  return { exitCode, slept, calls };
}

describe('a runner that says no for now', () => {
  it('is asked again after growing pauses when requests come too fast', async () => {
    expect(await tryWith('rate-limit', 3)).toEqual({
      exitCode: 0,
      slept: rateLimitDelays.slice(0, 3),
      calls: 4,
    });
  });

  it('is believed in the end', async () => {
    const { exitCode, slept } = await tryWith('rate-limit', 100);
    expect(exitCode).toBe(126);
    expect(slept).toEqual([...rateLimitDelays]);
  });

  it.each(['policy-deny', 'concurrency-busy', 'lockout-active', 'approval-timeout'] as const)(
    'is believed at once for %s',
    async (code) => {
      expect(await tryWith(code, 1)).toEqual({ exitCode: 126, slept: [], calls: 1 });
    },
  );
});
