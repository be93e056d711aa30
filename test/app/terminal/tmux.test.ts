import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Decision } from '../../../shared/engine/ask.ts';
import type { RunnerSession } from '../../../shared/ipc/protocol/context.ts';
import { testHome } from '../host/support.ts';
import type { TestHome } from '../host/support.ts';
import { sampleAsk } from '../../support/sample-ask.ts';
import { hasTmux, openPane } from './pane.ts';
import type { Pane } from './pane.ts';

vi.setConfig({ testTimeout: 120_000 });

let home: TestHome;
let pane: Pane;

/** The approver on a phone's screen, and a runner that is connected to it. */
async function openTerminal(): Promise<RunnerSession> {
  pane = openPane(home.paths.home, { columns: 40, rows: 22 });
  await pane.shows('Nothing waits for you');
  const runner = await home.connectRunner();
  runner.state({ mode: 'armed', reason: null, running: 0, pending: 0, policyProblem: null });
  return runner;
}

const screen = (): string => pane.screen();
const type = (...keys: string[]): void => pane.type(...keys);
const shows = (...texts: string[]): Promise<string> => pane.shows(...texts);

beforeEach(async () => {
  home = await testHome();
});
afterEach(async () => {
  pane.close();
  await home.close();
});

const ask = (id: string, change: object = {}) =>
  sampleAsk({ id, createdAt: Date.now(), expiresAt: Date.now() + 100_000, ...change });

describe.skipIf(!hasTmux)('the terminal approver in a real terminal', () => {
  it('shows an ask at 40 columns, and sends the answer with its note', async () => {
    const runner = await openTerminal();
    const decided = new Promise<Decision>((resolve) => runner.onDecision(resolve));
    const askDigest = runner.ask(ask('a1'));
    await shows('claude wants to run · 1 of 1', '$ git status -s | head -3', 'd deny', 'L lockout');
    type('n');
    await shows('Note to the agent');
    type('-l', 'use j and d');
    type('Enter');
    await shows('note: use j and d');
    type('d');
    expect(await decided).toEqual({ id: 'a1', askDigest, decision: 'deny', note: 'use j and d' });
    await shows('Denied.', 'Nothing waits for you');
  });

  it('allows a high risk only by the word', async () => {
    const runner = await openTerminal();
    const decided = new Promise<Decision>((resolve) => runner.onDecision(resolve));
    runner.ask(ask('a1', { risk: { level: 'high', findings: [] } }));
    await shows('claude wants to run');
    // Too early presses say so; the delay is over after at most a few of them.
    while (!screen().includes('Type "yes"')) {
      type('a');
      await pause(100);
    }
    for (const key of 'yes') type(key);
    type('Enter');
    expect(await decided).toMatchObject({ id: 'a1', decision: 'allow-once' });
  });

  it('lets hostile text do nothing to the terminal', async () => {
    const runner = await openTerminal();
    runner.ask(ask('a1', { command: 'ls \u202Ex \u001B[2J\u001B]0;owned\u0007', stages: [] }));
    await shows('claude wants to run', '$ ls ⟨U+202E⟩x', ' Interlock · armed ');
    expect(pane.tmux('display-message', '-p', '-t', 's', '#{pane_title}')).toContain(
      '(1) Interlock',
    );
  });

  it('locks everything out after asking, and shows it', async () => {
    await openTerminal();
    type('L');
    await shows('Lock everything out?');
    type('y');
    await shows('LOCKED OUT');
    expect(readFileSync(home.paths.lockout, 'utf8')).toContain('"locked": true');
  });

  it.each([
    ['Control and c', () => type('C-c')],
    [
      'a signal',
      () =>
        process.kill(childOf(pane.tmux('list-panes', '-t', 's', '-F', '#{pane_pid}')), 'SIGTERM'),
    ],
  ])('leaves the terminal as it was after %s', async (_name, leave) => {
    await openTerminal();
    expect(screen()).not.toContain('BEFORE');
    leave();
    const seen = await shows('LEFT=', 'icanon');
    expect(seen).toMatch(/BEFORE\s+LEFT=0\s+icanon/);
    expect(existsSync(home.paths.approvalsSocket)).toBe(false);
  });
});

function childOf(pid: string): number {
  const path = `/proc/${pid.trim()}/task/${pid.trim()}/children`;
  return Number(readFileSync(path, 'utf8').trim().split(' ')[0]);
}
