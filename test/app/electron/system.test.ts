import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { autostartEntry } from '../../../app/electron/login-item.ts';
import { lockPollMs } from '../../../app/electron/power.ts';
import { queuedAsk } from '../../support/queued-ask.ts';
import { click, menuItem } from './support/fake-things.ts';
import { startFake } from './support/start.ts';
import type { FakeShell } from './support/start.ts';

let fake: FakeShell;
afterEach(() => fake.end());

describe('global shortcuts', () => {
  const settings = { version: 1, lockoutShortcut: 'Alt+L', oldestAskShortcut: 'Alt+O' };

  it('lock out, and show the oldest ask; none allows anything', async () => {
    fake = await startFake({ settings });
    expect([...fake.shortcuts.keys()]).toEqual(['Alt+L', 'Alt+O']);
    fake.host.ask(queuedAsk({ id: 'old' }), queuedAsk({ id: 'new' }));
    fake.shortcuts.get('Alt+O')?.();
    expect(fake.windows.at(-1)?.urls.at(-1)).toBe('app://interlock/#/prompt/old');
    expect(fake.host.calls).toEqual([]);
    fake.shortcuts.get('Alt+L')?.();
    expect(fake.host.calls).toEqual([['lockout', { reason: 'Locked out with the shortcut' }]]);
  });

  it('are off unless somebody set them', async () => {
    fake = await startFake();
    expect(fake.shortcuts.size).toBe(0);
  });

  it('that another program holds are told in the menu', async () => {
    fake = await startFake({
      settings,
      before: ({ shortcuts }) => void shortcuts.set('taken:Alt+L', () => undefined),
    });
    const label = 'Alt+L is taken by another program';
    expect(menuItem(fake.tray().menu, label).enabled).toBe(false);
  });

  it('are given back at the end', async () => {
    fake = await startFake({ settings });
    await fake.shell?.dispose();
    expect(fake.shortcuts.size).toBe(0);
  });
});

describe('a screen that locks', () => {
  it.each([
    ['nothing', []],
    ['pause', [['pause', { reason: 'The screen was locked' }]]],
    ['lockout', [['lockout', { reason: 'The screen was locked' }]]],
  ])('does with the setting %s: %o', async (onScreenLock, calls) => {
    fake = await startFake({ platform: 'darwin', settings: { version: 1, onScreenLock } });
    fake.powerMonitor.emit('lock-screen');
    expect(fake.host.calls).toEqual(calls);
  });

  it('is noticed on Linux by looking, once each time', async () => {
    fake = await startFake({ settings: { version: 1, onScreenLock: 'lockout' } });
    fake.clock.advance(lockPollMs);
    expect(fake.host.calls).toEqual([]);
    fake.powerMonitor.idleState = 'locked';
    fake.clock.advance(3 * lockPollMs);
    expect(fake.host.calls).toHaveLength(1);
    fake.powerMonitor.idleState = 'active';
    fake.clock.advance(lockPollMs);
    fake.powerMonitor.idleState = 'locked';
    fake.clock.advance(lockPollMs);
    expect(fake.host.calls).toHaveLength(2);
  });

  it('is looked for no more after the end', async () => {
    fake = await startFake();
    expect(fake.clock.pending).toBeGreaterThan(0);
    await fake.shell?.dispose();
    expect(fake.clock.pending).toBe(0);
    expect(fake.powerMonitor.listenerCount('lock-screen')).toBe(0);
  });
});

it('locks out when the machine goes to sleep, when so set', async () => {
  fake = await startFake({ settings: { version: 1, onSuspend: 'lockout' } });
  fake.powerMonitor.emit('suspend');
  expect(fake.host.calls).toEqual([['lockout', { reason: 'The computer went to sleep' }]]);
});

describe('start at login', () => {
  const entry = () => join(fake.home, 'config', 'autostart', 'interlock.desktop');

  it('is an autostart entry on Linux, which opens no window', async () => {
    fake = await startFake();
    expect(existsSync(entry())).toBe(false);
    click(fake.tray().menu, 'Start at login');
    expect(readFileSync(entry(), 'utf8')).toContain(
      'Exec="/opt/Interlock/interlock-app" --hidden\n',
    );
    click(fake.tray().menu, 'Start at login');
    expect(existsSync(entry())).toBe(false);
  });

  it.each(['darwin', 'win32'] as const)('is asked of the system on %s', async (platform) => {
    fake = await startFake({ platform, settings: { version: 1, startAtLogin: true } });
    expect(fake.app.loginItem).toEqual({ openAtLogin: true, args: ['--hidden'] });
  });

  it('leaves a build from source alone', async () => {
    fake = await startFake({
      settings: { version: 1, startAtLogin: true },
      before: ({ app }) => void (app.isPackaged = false),
    });
    expect(existsSync(entry())).toBe(false);
  });

  it.each([
    ['/opt/a b/app', 'Exec="/opt/a b/app" --hidden'],
    ['/opt/50%/app', 'Exec="/opt/50%%/app" --hidden'],
    ['/opt/$x`"\\/app', 'Exec="/opt/\\\\$x\\\\`\\\\"\\\\\\\\/app" --hidden'],
  ])('quotes %s', async (executable, line) => {
    fake = await startFake();
    expect(autostartEntry(executable).split('\n')).toContain(line);
  });
});
