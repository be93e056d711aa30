import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { defaultSettings } from '../../../app/bridge/settings.ts';
import { effectiveSettings } from '../../../app/host/settings.ts';
import { checkSettingsFile } from '../../../app/host/settings.ts';
import { openSettings } from '../../../app/host/settings.ts';
import { defaultConfig } from '../../../shared/engine/config.ts';
import { click, menuItem } from './support/fake-things.ts';
import { startFake } from './support/start.ts';
import type { FakeShell } from './support/start.ts';

let fake: FakeShell;
afterEach(() => fake.end());

const uid = process.geteuid?.() ?? -1;
const saved = () => JSON.parse(readFileSync(fake.paths.uiSettings, 'utf8')) as unknown;

describe('a setting chosen in the menu', () => {
  it.each([
    ['With a sound', { sound: true }],
    ['Start at login', { startAtLogin: true }],
    ['Only change the icon', { attention: 'tray' }],
    [
      'Show the oldest ask from anywhere (CommandOrControl+Alt+Shift+A)',
      {
        oldestAskShortcut: 'CommandOrControl+Alt+Shift+A',
      },
    ],
  ])('%s is saved for this user alone', async (label, choice) => {
    fake = await startFake();
    click(fake.tray().menu, label);
    expect(saved()).toEqual({ version: 1, ...choice });
    expect(statSync(fake.paths.uiSettings).mode & 0o777).toBe(0o600);
    expect(menuItem(fake.tray().menu, label).checked).toBe(true);
  });

  it('holds at the next start', async () => {
    fake = await startFake({ settings: { version: 1, sound: true } });
    expect(menuItem(fake.tray().menu, 'With a sound').checked).toBe(true);
    click(fake.tray().menu, 'With a sound');
    expect(saved()).toEqual({ version: 1, sound: false });
  });

  it('writes nothing before the person chose something', async () => {
    fake = await startFake();
    expect(existsSync(fake.paths.uiSettings)).toBe(false);
  });
});

describe('a setting changed in the page', () => {
  it('holds at once in the tray, and the system hears of it', async () => {
    fake = await startFake();
    const chosen = { version: 1, sound: true, lockoutShortcut: 'Alt+Shift+L' };
    writeFileSync(fake.paths.uiSettings, JSON.stringify(chosen), { mode: 0o600 });
    const settings = { ...defaultSettings, sound: true, lockoutShortcut: 'Alt+Shift+L' };
    fake.host.push({ settings: { settings, honoured: [], problem: null, taken: [] } });
    expect(menuItem(fake.tray().menu, 'With a sound').checked).toBe(true);
    expect(fake.shortcuts.has('Alt+Shift+L')).toBe(true);
  });
});

describe('a settings file', () => {
  const badFiles: [string, string][] = [
    ['no JSON', '{'],
    ['an unknown field', '{"version":1,"allowAll":true}'],
    ['another version', '{"version":2}'],
    ['an unknown word', '{"version":1,"attention":"loud"}'],
    ['a shortcut of a bare letter', '{"version":1,"lockoutShortcut":"A"}'],
    ['a list', '[]'],
  ];
  it.each(badFiles)('with %s is told, not used, and not written over', async (_what, text) => {
    fake = await startFake({ settings: text });
    const line = fake.tray().menu.flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []));
    expect(line[0]?.label).toMatch(/^Settings were not read:/u);
    click(fake.tray().menu, 'With a sound');
    expect(readFileSync(fake.paths.uiSettings, 'utf8')).toBe(text);
    expect(fake.notifications.at(-1)?.options.body).toContain('not saved');
  });

  it('that others can read, or that is a link, is not used', async () => {
    fake = await startFake();
    const file = join(fake.home, 'loose.json');
    writeFileSync(file, '{"version":1,"sound":true}');
    chmodSync(file, 0o644);
    const loose = openSettings({ file, uid, config: null });
    expect(loose.problem()).toContain('mode 644');
    expect(loose.current().sound).toBe(false);
    chmodSync(file, 0o600);
    const link = join(fake.home, 'link.json');
    symlinkSync(file, link);
    expect(openSettings({ file: link, uid, config: null }).problem()).toContain('symbolic link');
  });

  it.each(['CommandOrControl+Alt+L', 'Super+F5', 'Ctrl+Shift+Space', null])(
    'may name the shortcut %s',
    async (lockoutShortcut) => {
      fake = await startFake();
      expect(checkSettingsFile({ version: 1, lockoutShortcut }).ok).toBe(true);
    },
  );
});

describe('what holds', () => {
  const config = (lockout: object, ui: object = {}) => ({
    lockout: { ...defaultConfig.lockout, ...lockout },
    ui: { ...defaultConfig.ui, ...ui },
  });

  it.each([
    ['the hotkey of config.json', null, config({ hotkey: 'Alt+L' }), { lockoutShortcut: 'Alt+L' }],
    [
      'the choice of the person over it',
      { version: 1, lockoutShortcut: null } as const,
      config({ hotkey: 'Alt+L' }),
      { lockoutShortcut: null },
    ],
    [
      'notifications off in config.json',
      null,
      config({}, { notifications: false }),
      { attention: 'window' },
    ],
    [
      'notifications on in config.json',
      null,
      config({}, { notifications: true }),
      { attention: 'both' },
    ],
    [
      'the lockout that config.json demands, over a softer choice',
      { version: 1, onScreenLock: 'pause' } as const,
      config({ onScreenLock: true }),
      { onScreenLock: 'lockout' },
    ],
    [
      'a stricter choice over config.json',
      { version: 1, onScreenLock: 'lockout' } as const,
      config({ onScreenLock: false }),
      { onScreenLock: 'lockout' },
    ],
  ])('is %s', async (_what, file, from, expected) => {
    fake = await startFake();
    expect(effectiveSettings(file, from)).toMatchObject(expected);
  });
});
