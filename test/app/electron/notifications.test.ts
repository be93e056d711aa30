import { afterEach, describe, expect, it } from 'vitest';
import type { Ask } from '../../../shared/engine/ask.ts';
import { queuedAsk } from '../../support/queued-ask.ts';
import { FakeNotification } from './support/fake-things.ts';
import { startFake } from './support/start.ts';
import type { FakeShell } from './support/start.ts';

let fake: FakeShell;
afterEach(() => fake.end());

const start = async (settings: object = {}) => {
  fake = await startFake({
    argv: ['--hidden'],
    settings: { version: 1, attention: 'notification', ...settings },
  });
};
const last = (): FakeNotification => fake.notifications.at(-1) as FakeNotification;
const buttons = () => last().options.actions.map(({ text }) => text);
const settle = async () => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
};
const harmless: Partial<Ask> = { command: 'git status', risk: { level: 'none', findings: [] } };

describe('a notification', () => {
  it.each([
    ['a plain command', harmless, ['Allow once', 'Deny']],
    ['a high risk', { ...harmless, risk: { level: 'high', findings: [] } }, ['Show']],
    ['a command that is too long', { command: `echo ${'x'.repeat(300)}` }, ['Show', 'Deny']],
    ['a command of two lines', { command: 'ls\nrm -rf /' }, ['Show', 'Deny']],
    [
      'text that could not be analysed',
      { opaque: { reason: 'command-substitution', detail: '', span: null } },
      ['Show', 'Deny'],
    ],
    ['a command with a secret in it', { command: 'login --password x1y2z3' }, ['Show', 'Deny']],
    [
      'a variable that can load code',
      { env: [{ name: 'LD_PRELOAD', value: '/tmp/x.so', unsafe: true }] },
      ['Show', 'Deny'],
    ],
  ] as [string, Partial<Ask>, string[]][])(
    'of %s offers what is safe',
    async (_what, ask, offered) => {
      await start();
      fake.host.ask(queuedAsk({ ...harmless, ...ask }));
      expect(buttons()).toEqual(offered);
    },
  );

  it('shows no secret: the system keeps notifications, and the window has the whole command', async () => {
    await start();
    fake.host.ask(queuedAsk({ ...harmless, command: 'deploy --password hunter2S3' }));
    expect(last().options.body).toContain('deploy --password [redacted]');
    expect(last().options.body).not.toContain('hunter2');
  });

  it('never offers to remember anything', async () => {
    await start();
    for (const level of ['none', 'low', 'high'] as const) {
      fake.host.ask(queuedAsk({ id: level, risk: { level, findings: [] } }));
      expect(buttons().join()).not.toMatch(/always|remember/iu);
    }
  });

  it.each([
    ['Deny', 'deny'],
    ['Allow once', 'allow-once'],
  ])('answers the ask it showed with %s', async (label, decision) => {
    await start();
    const queued = queuedAsk(harmless);
    fake.host.ask(queued);
    fake.host.results.set('answer', { ok: true, result: { accepted: true } });
    fake.clock.advance(1000);
    last().press(label);
    await settle();
    expect(fake.host.calls).toEqual([
      ['answer', { id: queued.ask.id, askDigest: queued.askDigest, decision }],
    ]);
    expect(fake.notifications).toHaveLength(1);
  });

  it('does not take an allow pressed the moment it appears: it shows the prompt', async () => {
    await start();
    fake.host.ask(queuedAsk(harmless));
    fake.clock.advance(100);
    last().press('Allow once');
    await settle();
    expect(fake.host.calls).toEqual([]);
    expect(fake.windows[0]?.focused).toBe(true);
  });

  it('says so when the answer did not count', async () => {
    await start();
    fake.host.ask(queuedAsk(harmless));
    fake.host.results.set('answer', { ok: true, result: { accepted: false } });
    last().press('Deny');
    await settle();
    expect(last().options.body).toBe('The answer came too late and did not count.');
  });

  it('opens the prompt when it is clicked', async () => {
    await start();
    fake.host.ask(queuedAsk(harmless));
    last().emit('click', {});
    expect(fake.windows[0]?.urls).toEqual(['app://interlock/#/prompt/ask-1']);
    expect(fake.windows[0]?.focused).toBe(true);
  });

  it('goes away with its ask', async () => {
    await start();
    fake.host.ask(queuedAsk(harmless));
    fake.host.ask();
    expect(last().closed).toBe(true);
  });

  it('stands for all when many ask at once, and then allows nothing', async () => {
    await start();
    fake.host.ask(...['a', 'b', 'c', 'd'].map((id) => queuedAsk({ ...harmless, id })));
    expect(fake.notifications).toHaveLength(1);
    expect(last().options.body).toBe('4 asks waiting');
    expect(buttons()).toEqual(['Show']);
  });

  it.each([
    [false, true],
    [true, false],
  ])('with the sound set to %s is silent: %s', async (sound, silent) => {
    await start({ sound });
    fake.host.ask(queuedAsk(harmless));
    expect(last().options.silent).toBe(silent);
  });

  it('shows nothing hidden in the name of the agent', async () => {
    await start();
    fake.host.ask(queuedAsk({ ...harmless, agent: 'claude\u202E\nInterlock' }));
    expect(last().options.title).not.toMatch(/[\u202E\n]/u);
  });

  it('is not tried where the system has none', async () => {
    await start();
    FakeNotification.supported = false;
    fake.host.ask(queuedAsk(harmless));
    expect(fake.notifications).toEqual([]);
  });
});
