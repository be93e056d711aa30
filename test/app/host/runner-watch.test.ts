import { describe, expect, it } from 'vitest';
import { watchRunner } from '../../../app/host/runner-state.ts';
import type { StatusBody } from '../../../shared/wire/api.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { settle } from '../../support/sessions.ts';

const status = (mode: StatusBody['mode']): StatusBody => ({
  ok: true,
  version: '1',
  pid: 1,
  startedAt: 0,
  mode,
  reason: null,
  approver: { connected: false, socket: '' },
  policy: { valid: true, problem: null, hash: '' },
  running: [],
  pending: [],
});

function open() {
  const clock = fakeClock();
  let answer: () => Promise<StatusBody> = () => Promise.resolve(status('armed'));
  let connected = false;
  let changes = 0;
  const watch = watchRunner({
    clock,
    status: () => answer(),
    connected: () => connected,
    onChange: () => (changes += 1),
  });
  return {
    clock,
    watch,
    changes: () => changes,
    answerWith: (next: () => Promise<StatusBody>) => (answer = next),
    connect: (is: boolean) => (connected = is),
  };
}

describe('the watch over a runner that has nothing to ask', () => {
  it('tells its state, and that it is gone, only when that changes', async () => {
    const { clock, watch, changes, answerWith } = open();
    await settle();
    expect(watch.state()).toMatchObject({ mode: 'armed', running: 0 });
    clock.advance(3_000);
    await settle();
    expect(changes()).toBe(1);
    answerWith(() => Promise.reject(new Error('gone')));
    clock.advance(3_000);
    await settle();
    expect(watch.state()).toBeNull();
    expect(changes()).toBe(2);
  });

  it('tells who is raised, and when that is over', async () => {
    const { clock, watch, changes, answerWith } = open();
    await settle();
    const raised = {
      id: 'e',
      agent: 'a',
      session: 's',
      as: '/elevated on',
      since: 0,
      expiresAt: 9,
    };
    answerWith(() => Promise.resolve({ ...status('armed'), elevated: [raised] }));
    clock.advance(3_000);
    await settle();
    expect(watch.state()).toMatchObject({ elevated: [raised] });
    answerWith(() => Promise.resolve({ ...status('armed'), elevated: [] }));
    clock.advance(3_000);
    await settle();
    expect(watch.state()).not.toHaveProperty('elevated');
    expect(changes()).toBe(3);
  });

  it('rests while a session tells the state, and looks at once when asked', async () => {
    const { watch, answerWith, connect } = open();
    await settle();
    connect(true);
    answerWith(() => Promise.reject(new Error('not to be asked')));
    watch.look();
    await settle();
    expect(watch.state()).toBeNull();
    connect(false);
    answerWith(() => Promise.resolve(status('paused')));
    watch.look();
    await settle();
    expect(watch.state()).toMatchObject({ mode: 'paused' });
  });

  it('keeps one timer however often it looks, and none once stopped', async () => {
    const { clock, watch } = open();
    watch.look();
    watch.look();
    await settle();
    expect(clock.pending).toBe(1);
    watch.dispose();
    expect(clock.pending).toBe(0);
    watch.look();
    await settle();
    expect(clock.pending).toBe(0);
  });
});
