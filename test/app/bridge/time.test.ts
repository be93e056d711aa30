import { describe, expect, it } from 'vitest';
import { holdMs, holdProgress } from '../../../app/bridge/arming.ts';
import { clockText, hostNow, secondsLeft } from '../../../app/bridge/state.ts';
import { modeOf } from '../../../app/bridge/state.ts';

describe('the countdown', () => {
  it('takes only elapsed time from the page, whatever its clock says', () => {
    expect(hostNow({ now: 5_000 }, { receivedAt: 900_000, now: 902_000 })).toBe(7_000);
    expect(hostNow({ now: 5_000 }, { receivedAt: 900_000, now: 1 })).toBe(5_000);
  });

  it('rounds up and never goes below zero', () => {
    expect(secondsLeft(10_000, 9_001)).toBe(1);
    expect(secondsLeft(10_000, 99_000)).toBe(0);
  });

  it.each([
    [7, '0:07'],
    [120, '2:00'],
    [3_729, '1:02:09'],
  ])('writes %i seconds as %s', (seconds, text) => {
    expect(clockText(seconds)).toBe(text);
  });
});

describe('a hold', () => {
  it('starts at nothing, grows, and stops at one', () => {
    expect(holdProgress(null, 50)).toBe(0);
    expect(holdProgress(0, holdMs / 2)).toBe(0.5);
    expect(holdProgress(0, holdMs * 9)).toBe(1);
    expect(holdProgress(100, 0)).toBe(0);
  });
});

describe('the mode', () => {
  const runner = {
    mode: 'armed',
    reason: null,
    running: 0,
    pending: 0,
    policyProblem: null,
  } as const;
  it.each([
    ['armed', runner, 'armed'],
    ['paused by the runner', { ...runner, mode: 'paused' as const }, 'paused'],
    ['runner gone', null, 'runner-gone'],
  ])('is told: %s', (_name, state, mode) => {
    expect(modeOf({ runner: state })).toBe(mode);
  });

  it('shows a lock whoever wrote it, with the runner gone too', () => {
    const stop = { mode: 'locked', reason: 'phone' } as const;
    expect(modeOf({ runner: null, stop })).toBe('locked');
    expect(modeOf({ runner, stop })).toBe('locked');
  });
});
