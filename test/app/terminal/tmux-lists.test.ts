import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startRunner } from '../../../runner/service/start-runner.ts';
import type { Runner } from '../../../runner/service/start-runner.ts';
import type { ExecEvent } from '../../../shared/wire/api.ts';
import { runnerClient } from '../../../shared/ipc/runner-client.ts';
import { testHome } from '../host/support.ts';
import type { TestHome } from '../host/support.ts';
import { hasTmux, openPane } from './pane.ts';
import type { Pane } from './pane.ts';

vi.setConfig({ testTimeout: 180_000 });

let home: TestHome;
let runner: Runner;
let pane: Pane;
let work: string;

const quiet = { info: () => {}, warn: () => {}, error: () => {} };

beforeEach(async () => {
  home = await testHome();
  work = join(home.paths.home, '..');
  runner = await startRunner({
    env: { INTERLOCK_HOME: home.paths.home, HOME: work, PATH: process.env['PATH'] },
    log: quiet,
  });
  pane = openPane(home.paths.home, { columns: 72, rows: 30 });
  await pane.shows('Nothing waits for you', 'armed');
});
afterEach(async () => {
  pane.close();
  await runner.dispose();
  await home.close();
});

/** An agent's command; resolves with the last event. Aborting it is the agent giving up. */
async function run(argv: readonly string[], signal?: AbortSignal): Promise<ExecEvent | null> {
  const client = runnerClient({ socketPath: home.paths.runnerSocket });
  let last: ExecEvent | null = null;
  try {
    const request = { argv, cwd: work, agent: 'claude', session: 's-1' };
    for await (const event of client.exec(request, signal)) last = event;
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
  return last;
}

const path = (name: string): string => join(work, name);

/** Presses a key until the screen tells that it counted: an answer is not taken at once. */
async function pressUntil(key: string, sign: string): Promise<void> {
  await vi.waitFor(
    () => {
      if (pane.screen().includes(sign)) return;
      pane.type(key);
      throw new Error(`not yet: ${sign}\n${pane.screen()}`);
    },
    { timeout: 90_000, interval: 500 },
  );
}

describe.skipIf(!hasTmux)('the terminal approver beside a real runner', () => {
  it('allows with a key; the command runs, and the history tells how it ended', async () => {
    const done = run(['mkdir', path('made')]);
    await pane.shows('claude wants to run', 'mkdir');
    await pressUntil('a', 'Allowed');
    expect(await done).toMatchObject({ type: 'finished', exitCode: 0 });
    expect(existsSync(path('made'))).toBe(true);
    pane.type('h');
    await pane.shows('History', 'Allowed by you, once, exit 0', 'mkdir');
    pane.type('q');
    await pane.shows('Nothing waits for you');
  });

  it('lists what ended without an answer', async () => {
    const agent = new AbortController();
    const done = run(['mkdir', path('never')], agent.signal);
    await pane.shows('claude wants to run', 'mkdir');
    agent.abort();
    await done;
    await pane.shows('Nothing waits for you');
    pane.type('m');
    await pane.shows('Missed', 'The agent stopped waiting', 'mkdir');
    expect(existsSync(path('never'))).toBe(false);
  });

  it('denies what is alike together, and nothing else', async () => {
    const alike = [run(['mkdir', path('one')])];
    await pane.shows('claude wants to run · 1 of 1', '$ mkdir');
    alike.push(run(['mkdir', path('two')]));
    const other = run(['touch', path('other')]);
    await pane.shows('claude wants to run · 1 of 3');
    pane.type('g');
    await pane.shows('2 asks of claude that are alike', path('one'), path('two'));
    pane.type('d');
    for (const each of alike)
      expect(await each).toMatchObject({ refusal: { code: 'confirm-rejected' } });
    await pane.shows('claude wants to run · 1 of 1', 'touch');
    await pressUntil('d', 'Nothing waits for you');
    expect(await other).toMatchObject({ refusal: { code: 'confirm-rejected' } });
    expect(['one', 'two', 'other'].filter((name) => existsSync(path(name)))).toEqual([]);
  });

  it('remembers for the session, so that the same is not asked about again', async () => {
    const first = run(['touch', path('again')]);
    await pane.shows('claude wants to run', 'touch');
    pane.type('3');
    await pane.shows('for this session');
    await pressUntil('A', 'Allowed');
    expect(await first).toMatchObject({ type: 'finished' });
    expect(await run(['touch', path('again')])).toMatchObject({ type: 'finished' });
    pane.type('h');
    await pane.shows('History', 'touch');
  });

  it('says that the runner is gone, takes the ask away, and comes back with the next one', async () => {
    const done = run(['mkdir', path('orphan')]);
    await pane.shows('claude wants to run', 'mkdir');
    await runner.dispose();
    expect(await done).toMatchObject({ type: 'refused' });
    await pane.shows('Nothing waits for you', 'runner gone', 'The runner stopped');
    expect(existsSync(path('orphan'))).toBe(false);
    runner = await startRunner({
      env: { INTERLOCK_HOME: home.paths.home, HOME: work, PATH: process.env['PATH'] },
      log: quiet,
    });
    await pane.shows('armed');
  });

  it('shows a command of many lines and 80,000 characters bit by bit, and stays at hand', async () => {
    const text = `touch ${path('x')}\n# \u001b[2J\u202e<b>${'x'.repeat(60)}\n`.repeat(800);
    const client = runnerClient({ socketPath: home.paths.runnerSocket });
    const agent = new AbortController();
    const events: ExecEvent[] = [];
    const done = (async () => {
      for await (const event of client.exec(
        { command: text, cwd: work, agent: 'claude' },
        agent.signal,
      ))
        events.push(event);
    })().catch(() => undefined);
    await pane.shows('claude wants to run', 'more rows: Space', '⟨U+202E⟩');
    pane.type('Space');
    await pane.shows('rows above: PageUp');
    await pressUntil('d', 'Denied');
    await done;
    expect(events.at(-1)).toMatchObject({ type: 'refused', refusal: { code: 'confirm-rejected' } });
  });
});
