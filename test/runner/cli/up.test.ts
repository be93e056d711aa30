import { describe, expect, it } from 'vitest';
import { chooseApprover } from '../../../runner/cli/up/programs.ts';
import type { Child, ChildEnd } from '../../../runner/cli/up/child.ts';
import { keepRunning } from '../../../runner/cli/up/child.ts';
import { agentsSeen, waitUntil } from '../../../runner/cli/up/up.ts';

describe('the agents that "up" knows of', () => {
  const seen = (agents: readonly string[]) =>
    agentsSeen({ history: async () => ({ ok: true, total: 0, entries: [], agents }) });

  it('are those that have asked, and not the guide', async () => {
    expect(await seen(['claude', 'interlock-guide'])).toEqual(['claude']);
    expect(await seen(['interlock-guide'])).toEqual([]);
  });

  it('are none where the log cannot be read', async () => {
    const history = async () => Promise.reject(new Error('no log'));
    expect(await agentsSeen({ history })).toEqual([]);
  });
});

describe('the approver that "up" chooses', () => {
  it.each([
    ['auto', '/electron', true, 'electron'],
    ['auto', '/electron', false, 'console'],
    ['auto', null, true, 'console'],
    ['console', '/electron', true, 'console'],
    ['terminal', null, false, 'terminal'],
    ['electron', '/electron', true, 'electron'],
  ] as const)(
    'wanted %s, binary %s, display %s: %s',
    (wanted, electronBinary, hasDisplay, shell) => {
      expect(chooseApprover({ wanted, electronBinary, hasDisplay })).toBe(shell);
    },
  );

  it.each([
    [null, true, 'not installed'],
    ['/electron', false, 'no display'],
  ] as const)('says why the menu bar app cannot start', (electronBinary, hasDisplay, why) => {
    expect(() => chooseApprover({ wanted: 'electron', electronBinary, hasDisplay })).toThrow(why);
  });
});

/** A child that ends when the test says so. */
function fakeChild(pid: number): Child & { readonly end: (end: ChildEnd) => void } {
  let end: (end: ChildEnd) => void = () => undefined;
  const ended = new Promise<ChildEnd>((resolve) => {
    end = resolve;
  });
  return {
    pid,
    ended,
    end,
    stop: async () => {
      end({ exitCode: null, signal: 'SIGTERM' });
      return ended;
    },
  };
}

describe('the runner under "up"', () => {
  it('is started again after growing pauses while it keeps falling over', async () => {
    const pauses: number[] = [];
    let started = 0;
    const kept = keepRunning({
      start: () => {
        started += 1;
        const child = fakeChild(started);
        child.end({ exitCode: 1, signal: null });
        return child;
      },
      onEnd: async (_end, pause) => {
        pauses.push(pause);
        return Promise.resolve(pauses.length < 8);
      },
      sleep: async () => Promise.resolve(),
      now: () => 0,
    });
    await kept.over;
    expect(started).toBe(8);
    expect(pauses).toEqual([500, 1000, 2000, 5000, 10_000, 30_000, 30_000, 30_000]);
  });

  it('starts over with short pauses once it has been up for a minute', async () => {
    const pauses: number[] = [];
    let now = 0;
    const kept = keepRunning({
      start: () => {
        const child = fakeChild(1);
        child.end({ exitCode: 1, signal: null });
        return child;
      },
      onEnd: async (_end, pause) => {
        pauses.push(pause);
        return Promise.resolve(pauses.length < 4);
      },
      sleep: async () => Promise.resolve(),
      now: () => {
        // Two looks a life: at its start and at its end. The third life lasts.
        now += pauses.length === 2 ? 60_000 : 1;
        return now;
      },
    });
    await kept.over;
    expect(pauses).toEqual([500, 1000, 500, 1000]);
  });

  it('is not started again once it was told to stop', async () => {
    let started = 0;
    const kept = keepRunning({
      start: () => {
        started += 1;
        return fakeChild(started);
      },
      onEnd: async () => Promise.resolve(true),
      sleep: async () => Promise.resolve(),
      now: () => 0,
    });
    expect(kept.pid()).toBe(1);
    await kept.stop();
    await kept.over;
    expect(started).toBe(1);
  });
});

describe('waiting for a child', () => {
  const never = new Promise<ChildEnd>(() => undefined);
  const sleep = async (): Promise<void> => Promise.resolve();

  it('ends as soon as it is ready', async () => {
    let looks = 0;
    const isReady = async (): Promise<boolean> => {
      looks += 1;
      return Promise.resolve(looks === 3);
    };
    const waited = await waitUntil({ isReady, ended: never, sleep, looks: 10, pauseMs: 1 });
    expect([waited, looks]).toEqual([{ kind: 'ready' }, 3]);
  });

  it('ends when the child does', async () => {
    const end: ChildEnd = { exitCode: 125, signal: null };
    const isReady = async (): Promise<boolean> => Promise.resolve(false);
    const ended = Promise.resolve(end);
    const waited = await waitUntil({ isReady, ended, sleep, looks: 10, pauseMs: 1 });
    expect(waited).toEqual({ kind: 'ended', end });
  });

  it('gives up in the end', async () => {
    const isReady = async (): Promise<boolean> => Promise.resolve(false);
    const waited = await waitUntil({ isReady, ended: never, sleep, looks: 3, pauseMs: 1 });
    expect(waited).toEqual({ kind: 'too-long' });
  });
});
