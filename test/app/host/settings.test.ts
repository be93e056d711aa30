import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plainFacts } from '../../../app/host/types.ts';
import { createRunnerStart } from '../../../app/host/runner-start.ts';
import { createBreaches } from '../../../app/host/breaches.ts';
import { testHome } from './support.ts';
import type { TestHome } from './support.ts';

let home: TestHome;
beforeEach(async () => {
  home = await testHome();
});
afterEach(() => home.close());

describe('the settings', () => {
  it('are in the state with what the shell honours, and change for every page', async () => {
    const { host, until } = await home.start({ facts: plainFacts(['theme', 'language']) });
    const { settings } = await until((state) => state.settings !== undefined);
    expect(settings).toMatchObject({ honoured: ['theme', 'language'], problem: null, taken: [] });
    expect(await host.handle('changeSettings', { choice: { theme: 'dark' } })).toMatchObject({
      ok: true,
      result: { settings: { theme: 'dark', language: 'system' } },
    });
    await until((state) => state.settings?.settings.theme === 'dark');
    const saved = JSON.parse(readFileSync(home.paths.uiSettings, 'utf8')) as unknown;
    expect(saved).toEqual({ version: 1, theme: 'dark' });
  });

  it('keep what the tray, or a person with an editor, wrote meanwhile', async () => {
    const { host, until } = await home.start();
    writeFileSync(home.paths.uiSettings, '{"version":1,"sound":true}', { mode: 0o600 });
    await host.handle('changeSettings', { choice: { theme: 'light' } });
    const { settings } = await until((state) => state.settings?.settings.theme === 'light');
    expect(settings?.settings.sound).toBe(true);
  });

  it('that cannot be read are told, and not written over', async () => {
    const { host, until } = await home.start();
    writeFileSync(home.paths.uiSettings, '{"version":1,"allowAll":true}', { mode: 0o600 });
    expect(await host.handle('changeSettings', { choice: { sound: true } })).toMatchObject({
      ok: false,
      refusal: { code: 'config-invalid' },
    });
    expect(readFileSync(home.paths.uiSettings, 'utf8')).toContain('allowAll');
    await until((state) => state.settings?.problem?.includes('allowAll') === true);
  });
});

describe('a start of the runner', () => {
  const starting = (there: string, change: { running?: boolean; shell?: boolean } = {}) => {
    const ran: string[] = [];
    const start = createRunnerStart({
      env: { HOME: '/home/me' },
      platform: there.includes('Library') ? 'darwin' : 'linux',
      uid: 501,
      fromShell: () => (change.shell === true ? () => void ran.push('shell') : null),
      running: () => change.running === true,
      exists: (path) => path === there,
      run: async (program, args) => void ran.push([program, ...args].join(' ')),
    });
    return { start, ran };
  };
  const unit = '/home/me/.config/systemd/user/interlock-runner.service';
  const agent = '/home/me/Library/LaunchAgents/app.interlock.runner.plist';

  it.each([
    [unit, 'systemctl --user start interlock-runner.service'],
    [agent, 'launchctl kickstart gui/501/app.interlock.runner'],
  ])('prefers the service in %s', async (there, command) => {
    const { start, ran } = starting(there, { shell: true });
    expect(await start.start()).toEqual({ how: 'service' });
    expect(ran).toEqual([command]);
  });

  it('falls back to the runner of the app, else says what to do', async () => {
    const { start, ran } = starting('', { shell: true });
    expect(await start.start()).toEqual({ how: 'app' });
    expect(ran).toEqual(['shell']);
    const none = starting('').start;
    expect(none.possible()).toBe(false);
    await expect(none.start()).rejects.toThrow('No service is installed');
  });

  it('is refused while one answers', async () => {
    const { start, ran } = starting(unit, { running: true });
    expect(start.possible()).toBe(false);
    await expect(start.start()).rejects.toThrow('answers already');
    expect(ran).toEqual([]);
  });
});

describe('breaches of the approval protocol', () => {
  it('are told in Health, by kind and number, with the time of the last one', () => {
    let now = 0;
    const breaches = createBreaches(() => now);
    expect(breaches.check().level).toBe('ok');
    breaches.add('hmac-fail');
    now = 86_400_000;
    breaches.add('hmac-fail');
    breaches.add('replay-detected');
    expect(breaches.check()).toMatchObject({
      level: 'warning',
      detail: expect.stringMatching(
        /hmac-fail \(2\), replay-detected \(1\); the last one at 1970-01-02/,
      ) as string,
    });
  });
});
