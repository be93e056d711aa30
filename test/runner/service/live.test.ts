import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { endOf, exec, makeHome, startRunnerProcess } from './support.ts';
import { listenForNotices } from './notify-socket.ts';

const patient = { timeout: 30_000, interval: 20 };

describe.runIf(process.platform === 'linux')('a runner as systemd starts it', () => {
  it('says when it is ready and alive, reloads on SIGHUP, and stops gracefully on SIGTERM', async () => {
    const paths = await makeHome({ security: 'full', ask: 'off' });
    const path = join(paths.home, 'notify');
    const systemd = listenForNotices(path);
    onTestFinished(systemd.close);
    const runner = await startRunnerProcess(paths, 'dist/runner/main.js', {
      NOTIFY_SOCKET: path,
      WATCHDOG_USEC: '4000000',
    });
    const notices: string[] = [];
    const hears = async (notice: string): Promise<void> =>
      vi.waitFor(() => {
        notices.push(...systemd.heard());
        expect(notices).toContain(notice);
      }, patient);
    await hears('READY=1');
    await hears('WATCHDOG=1');

    const command = exec(paths, { argv: ['sleep', '600'] });
    await vi.waitFor(() => expect(command.events.at(-1)?.type).toBe('started'), patient);
    notices.length = 0;
    runner.child.kill('SIGHUP');
    await runner.says('The settings were read again.');
    await hears('READY=1');
    expect(
      notices.find((notice) => notice.startsWith('RELOADING=1\nMONOTONIC_USEC=')),
    ).toBeTruthy();
    expect(command.events.map(({ type }) => type)).toEqual(['started']);

    runner.child.kill('SIGTERM');
    expect(await runner.ended).toEqual({ code: 0, signal: null });
    await hears('STOPPING=1');
    expect(endOf(await command.done)).not.toBe('exit 0');
  });

  it('takes a new log level up, and says on SIGHUP when the settings do not hold', async () => {
    const paths = await makeHome();
    const runner = await startRunnerProcess(paths);
    const setLevel = (logLevel: string): void =>
      writeFileSync(paths.config, JSON.stringify({ version: 1, service: { logLevel } }), {
        mode: 0o600,
      });
    setLevel('loud');
    runner.child.kill('SIGHUP');
    await runner.says('config.json is not valid');
    setLevel('error');
    const before = runner.stderr();
    runner.child.kill('SIGHUP');
    runner.child.kill('SIGTERM');
    await runner.ended;
    expect(runner.stderr()).toBe(before);
  });
});
