import { expect, onTestFinished, test } from 'vitest';
import type { Gate } from '../../../runner/gate/gate.ts';
import type { AncestorProcess } from '../../../shared/engine/ask.ts';
import type { ExecIncoming, GateResult } from '../../../runner/gate/request-context.ts';
import { createAutomaticPause } from '../../../runner/lockout/automatic-pause.ts';
import { defaultConfig } from '../../../shared/engine/config.ts';
import type { StopState } from '../../../shared/home/stop-state.ts';
import type { RefusalCode } from '../../../shared/base/refusal.ts';
import { fakeClock } from '../../support/fake-clock.ts';

const ran = { ok: true, id: 'x' } as unknown as GateResult;
const no = (code: RefusalCode): GateResult => ({
  ok: false,
  id: 'x',
  refusal: { code, message: '', hint: '' },
});

function setUp(settings: Partial<typeof defaultConfig.lockout>) {
  const clock = fakeClock();
  const paused: string[] = [];
  const changed: (() => void)[] = [];
  let state: StopState = { mode: 'armed', reason: null };
  let running = false;
  const chains: Record<number, readonly AncestorProcess[]> = {};
  const automatic = createAutomaticPause({
    clock,
    config: () => ({ lockout: { ...defaultConfig.lockout, ...settings } }),
    ancestry: async (pid) => chains[pid] ?? [],
    isRunning: () => running,
    stops: {
      state: () => state,
      onChange: (listener) => void changed.push(listener),
      pause: (reason) => {
        state = { mode: 'paused', reason };
        paused.push(reason ?? '');
        for (const listener of changed) listener();
        return { mode: 'paused', stopped: 0, withdrawn: 0, keysRotated: 0 };
      },
    },
    log: { warn: () => {}, error: () => {} },
  });
  onTestFinished(() => automatic.dispose());
  let next: GateResult = ran;
  const gate = automatic.watch({ exec: async () => next } as unknown as Gate);
  const exec = async (result: GateResult, agent = 'claude', pid = 1): Promise<void> => {
    next = result;
    const peer = { uid: 1, pid };
    const incoming = { request: { agent, cwd: '/' }, peer } as unknown as ExecIncoming;
    await gate.exec(incoming, { emit: () => {}, gone: new AbortController().signal });
  };
  const resume = (): void => {
    state = { mode: 'armed', reason: null };
    for (const listener of changed) listener();
  };
  return { automatic, chains, clock, paused, exec, resume, run: (is: boolean) => (running = is) };
}

test('an agent that is refused again and again pauses everything, with the reason', async () => {
  const { paused, exec } = setUp({ pauseAfterRefusals: 3 });
  for (let count = 0; count < 3; count += 1) await exec(no('policy-deny'));
  expect(paused).toEqual(['The agent "claude" was refused 3 times in a row']);
});

test('one command that runs begins the count anew, and each agent has its own', async () => {
  const { paused, exec } = setUp({ pauseAfterRefusals: 3 });
  for (const result of [no('policy-deny'), no('policy-deny'), ran, no('policy-deny')])
    await exec(result);
  await exec(no('policy-deny'), 'codex');
  await exec(no('confirm-rejected'));
  expect(paused).toEqual([]);
});

test.each(['rate-limit', 'concurrency-busy', 'hmac-fail', 'pause-active'] as const)(
  '%s is not a sign of a loop',
  async (code) => {
    const { paused, exec } = setUp({ pauseAfterRefusals: 2 });
    for (let count = 0; count < 5; count += 1) await exec(no(code));
    expect(paused).toEqual([]);
  },
);

test('after a resume the count begins anew; null turns it off', async () => {
  const { paused, exec, resume } = setUp({ pauseAfterRefusals: 2 });
  for (let count = 0; count < 2; count += 1) await exec(no('policy-deny'));
  resume();
  await exec(no('policy-deny'));
  expect(paused).toHaveLength(1);
  const off = setUp({ pauseAfterRefusals: null });
  for (let count = 0; count < 50; count += 1) await off.exec(no('policy-deny'));
  expect(off.paused).toEqual([]);
});

test('a quiet while pauses; a command that runs, however long, is not quiet', () => {
  const { clock, paused, run } = setUp({ pauseAfterIdleMs: 60_000 });
  run(true);
  clock.advance(600_000);
  run(false);
  clock.advance(55_000);
  expect(paused).toEqual([]);
  clock.advance(10_000);
  expect(paused).toEqual(['No command has run for 60 seconds']);
});

test('a clock that is set makes no quiet while, and takes none away', () => {
  const { clock, paused } = setUp({ pauseAfterIdleMs: 60_000 });
  clock.jump(-1e9);
  clock.jump(2e9);
  clock.advance(30_000);
  expect(paused).toEqual([]);
});

test('by default nothing pauses for being quiet', () => {
  const { clock, paused } = setUp({});
  clock.advance(10 * 60 * 60_000);
  expect(paused).toEqual([]);
});

const chain = (...names: readonly (readonly [number, string])[]) =>
  names.map(([pid, name]) => ({ pid, name, command: name }));

test('who was refused cannot end the pause that this has caused, nor what it belongs to', async () => {
  const { automatic, chains, exec, resume } = setUp({ pauseAfterRefusals: 2 });
  const person = [
    [20, 'bash'],
    [10, 'gnome-terminal'],
  ] as const;
  chains[50] = chain([50, 'node'], [40, 'sh'], [30, 'claude'], ...person);
  chains[51] = chain([51, 'curl'], [41, 'sh'], [30, 'claude'], ...person);
  chains[60] = chain([60, 'interlock'], ...person);
  await expect(automatic.requireNotItsCause(50)).resolves.toBeUndefined();
  await exec(no('policy-deny'), 'claude', 50);
  await exec(no('policy-deny'), 'claude', 50);
  for (const pid of [50, 51, null])
    await expect(automatic.requireNotItsCause(pid)).rejects.toThrow(/^confirm-rejected/);
  await expect(automatic.requireNotItsCause(60)).resolves.toBeUndefined();
  resume();
  await expect(automatic.requireNotItsCause(50)).resolves.toBeUndefined();
});
