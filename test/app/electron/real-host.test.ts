import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { startUiHost } from '../../../app/host/start.ts';
import { createLog } from '../../../runner/service/log.ts';
import { startRunner } from '../../../runner/service/start-runner.ts';
import { runnerClient } from '../../../shared/ipc/runner-client.ts';
import { openHome } from '../../../shared/home/home.ts';
import { initHome } from '../../../shared/home/init.ts';
import { homePaths } from '../../../shared/home/paths.ts';
import type { ExecEvent } from '../../../shared/wire/api.ts';
import { click } from './support/fake-things.ts';
import { startFake } from './support/start.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** The shell over a fake Electron, with the real host, the real runner and real sockets. */
async function startReal() {
  const folder = (): string => {
    const made = mkdtempSync(join(tmpdir(), 'interlock-real-'));
    ends.push(() => rmSync(made, { recursive: true, force: true }));
    return made;
  };
  const home = folder();
  // Not the home: to write there is of high risk, and such an ask is not answered in a notification.
  const cwd = folder();
  const env = { ...process.env, INTERLOCK_HOME: home };
  const paths = homePaths(env);
  await initHome(paths, { uid: process.geteuid?.() ?? -1, now: Date.now });
  const packageRoot = fileURLToPath(new URL('../../../', import.meta.url));
  const fake = await startFake({
    argv: ['--hidden'],
    settings: { version: 1, attention: 'both' },
    start: async () =>
      startUiHost({
        home: openHome(env),
        env,
        packageRoot,
        shell: 'electron',
        onFocus: () => null,
      }),
  });
  ends.push(fake.end);
  const runner = await startRunner({ env, log: createLog(() => undefined, Date.now) });
  ends.push(() => runner.dispose());
  const client = runnerClient({ socketPath: paths.runnerSocket });
  const run = async (...argv: string[]): Promise<ExecEvent | undefined> => {
    let last: ExecEvent | undefined;
    for await (const event of client.exec({ argv, cwd, agent: 'claude' })) last = event;
    return last;
  };
  return { fake, cwd, run };
}

it('a command is asked about in tray, prompt and notification, and denied from there', async () => {
  const { fake, cwd, run } = await startReal();
  const target = join(cwd, 'made');
  const done = run('touch', target);
  await expect.poll(() => fake.notifications).toHaveLength(1);
  expect(fake.tray().image.file).toContain('asking-1');
  expect(fake.tray().menu.map(({ label }) => label)).toContain('Waiting for you');
  expect(fake.windows[0]?.calls).toEqual(['showInactive']);
  fake.notifications[0]?.press('Deny');
  expect(await done).toMatchObject({ type: 'refused', refusal: { code: 'confirm-rejected' } });
  expect(existsSync(target)).toBe(false);
  await expect.poll(() => fake.tray().image.file).toContain('armed');
  expect(fake.windows[0]?.visible).toBe(false);
  expect(fake.notifications[0]?.closed).toBe(true);
});

it('a lockout from the menu refuses what waits, and shows in the tray', async () => {
  const { fake, run } = await startReal();
  const done = run('touch', '/nowhere/at/all');
  await expect.poll(() => fake.tray().image.file).toContain('asking-1');
  click(fake.tray().menu, 'Lock out now');
  expect(await done).toMatchObject({ type: 'refused', refusal: { code: 'lockout-active' } });
  await expect.poll(() => fake.tray().image.file).toContain('locked');
  await expect.poll(() => fake.notifications.at(-1)?.options.body).toMatch(/^Locked out\./u);
});
