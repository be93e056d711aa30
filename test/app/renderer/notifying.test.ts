import { describe, expect, it } from 'vitest';
import { armDelayMs } from '../../../app/bridge/arming.ts';
import { noticeOf } from '../../../app/bridge/notice.ts';
import { pressed } from '../../../app/renderer/notify/decide.ts';
import { readClick } from '../../../app/renderer/notify/message.ts';
import type { Ask } from '../../../shared/engine/ask.ts';
import { queuedAsk } from '../../support/queued-ask.ts';

const plain: Partial<Ask> = { command: 'git status', risk: { level: 'none', findings: [] } };
const queued = queuedAsk(plain);
const standing = { queued, shownAt: 1000 };
const later = 1000 + armDelayMs;
const situation = { queue: [queued], now: later, pace: undefined, movedAt: null };

describe('a press on a notification', () => {
  it('answers the very ask that it showed', () => {
    expect(pressed(standing, 'allow-once', situation)).toEqual({
      type: 'answer',
      answer: { id: queued.ask.id, askDigest: queued.askDigest, decision: 'allow-once' },
    });
    const changed = { ...queued, askDigest: 'f'.repeat(64) };
    expect(pressed(standing, 'allow-once', { ...situation, queue: [changed] })).toEqual({
      type: 'nothing',
    });
  });

  it('allows nothing before it stood as long as arming takes', () => {
    expect(pressed(standing, 'allow-once', { ...situation, now: later - 1 })).toEqual({
      type: 'show',
    });
  });

  it('answers nothing just after the one beside it went away', () => {
    for (const action of ['allow-once', 'deny'])
      expect(pressed(standing, action, { ...situation, movedAt: later - 10 })).toEqual({
        type: 'show',
      });
  });

  it.each<[string, Partial<Ask>]>([
    ['a high risk', { risk: { level: 'high', findings: [] } }],
    ['a command that is cut', { command: `echo ${'x'.repeat(300)}` }],
    ['a command with a secret', { command: 'login --password x1y2z3' }],
    ['what cannot be followed', { opaque: { reason: 'glob', detail: '', span: null } }],
    ['a variable that loads code', { env: [{ name: 'A', value: 'b', unsafe: true }] }],
  ])('allows no ask with %s, whatever button it claims to be', (_what, part) => {
    const risky = queuedAsk({ ...plain, ...part });
    const at = { ...situation, queue: [risky] };
    expect(noticeOf(risky).choices).not.toContain('allow-once');
    for (const action of ['allow-once', 'allow-always', '', '__proto__'])
      expect(pressed({ queued: risky, shownAt: 0 }, action, at)).toEqual({ type: 'show' });
  });

  it('is read from a message of the worker and from no other', () => {
    const click = { type: 'interlock.clicked', tag: 'ask a', action: 'deny' };
    expect(readClick(click)).toEqual(click);
    for (const other of [null, 'x', {}, { ...click, type: 'y' }, { ...click, tag: 1 }])
      expect(readClick(other)).toBeNull();
  });
});
