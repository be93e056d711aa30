import { afterEach, describe, expect, it } from 'vitest';
import { debugSwitches } from '../../../app/electron/shell.ts';
import { refuse } from '../../../shared/base/refusal.ts';
import { queuedAsk } from '../../support/queued-ask.ts';
import { startFake } from './support/start.ts';
import type { FakeShell } from './support/start.ts';

let fake: FakeShell;
afterEach(() => fake.end());

describe('a start', () => {
  it('settles lock, sandbox and scheme before Electron is ready', async () => {
    fake = await startFake();
    expect(fake.app.log).toEqual(['setPath', 'lock', 'enableSandbox', 'schemes', 'ready']);
  });

  it('keeps one instance for each home', async () => {
    fake = await startFake();
    expect(fake.app.paths.get('userData')).toBe(`${fake.home}/state/electron`);
  });

  it('that is the second ends at once and starts no host', async () => {
    let started = 0;
    fake = await startFake({
      before: ({ app }) => void (app.firstInstance = false),
      start: async () => {
        started += 1;
        throw new Error('never');
      },
    });
    expect(fake.shell).toBeNull();
    expect(fake.app.exitCode).toBe(0);
    expect(started).toBe(0);
    expect(fake.trays).toEqual([]);
  });

  it.each(debugSwitches)('of a release with --%s ends at once', async (name) => {
    fake = await startFake({ before: ({ app }) => void app.switches.set(name, '9222') });
    expect(fake.shell).toBeNull();
    expect(fake.app.exitCode).toBe(1);
    expect(fake.windows).toEqual([]);
  });

  it('beside another approver says which, and ends', async () => {
    fake = await startFake({
      start: async () => ({
        kind: 'already-running',
        other: { shell: 'console', pid: 42, link: null },
      }),
    });
    expect(fake.shell).toBeNull();
    expect(fake.electron.errors[0]).toContain('console approver (process 42)');
    expect(fake.app.exitCode).toBe(0);
  });

  it('that is refused explains it in a dialog, with what to do', async () => {
    fake = await startFake({
      start: async () => {
        throw refuse('config-invalid', 'The socket is a link.', 'Remove it.');
      },
    });
    expect(fake.electron.errors).toEqual(['The socket is a link. Remove it.']);
    expect(fake.app.exitCode).toBe(1);
  });
});

describe('a second start', () => {
  it.each(['second-instance', 'knock'])('brings the prompt to the front (%s)', async (how) => {
    fake = await startFake({ argv: ['--hidden'] });
    fake.host.ask(queuedAsk());
    if (how === 'knock') fake.knock();
    else fake.app.emit('second-instance');
    expect(fake.windows[0]?.focused).toBe(true);
  });

  it('opens the main window when nothing waits', async () => {
    fake = await startFake({ argv: ['--hidden'] });
    fake.app.emit('second-instance');
    expect(fake.windows).toHaveLength(1);
    expect(fake.windows[0]?.options['width']).toBe(1040);
  });
});

it('stays in the menu bar when its windows are closed', async () => {
  fake = await startFake();
  expect(fake.app.listenerCount('window-all-closed')).toBe(1);
});
