import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectRoot } from './binary.ts';
import { expect, test } from './launch.ts';

test('the window shows the page of our own scheme, behind our policy', async ({ launched }) => {
  const { window } = launched;
  expect(window.url()).toMatch(/^app:\/\/interlock\//u);
  await expect(window.getByRole('main')).toBeVisible();
  const policy = await window.evaluate(async () => {
    const answer = await fetch('app://interlock/index.html');
    return answer.headers.get('content-security-policy');
  });
  expect(policy).toContain("default-src 'none'");
});

test('the page has the bridge, and nothing of Node or Electron', async ({ launched }) => {
  const found = await launched.window.evaluate(() => ({
    bridge: Object.keys((window as unknown as { interlock: object }).interlock).toSorted(),
    node: ['require', 'process', 'module', 'Buffer'].filter((name) => name in globalThis),
  }));
  expect(found).toEqual({ bridge: ['call', 'onPush', 'state'], node: [] });
});

test('the page can neither leave nor reach out', async ({ launched }) => {
  const { window } = launched;
  await window.evaluate(() => {
    location.href = 'https://example.com/';
  });
  const opened = await window.evaluate(() => open('https://example.com/') === null);
  const reached = await window.evaluate(async () => {
    try {
      await fetch('https://example.com/');
      return true;
    } catch {
      return false;
    }
  });
  expect({ opened, reached }).toEqual({ opened: true, reached: false });
  expect(window.url()).toMatch(/^app:\/\/interlock\//u);
});

test('every permission is refused', async ({ launched }) => {
  const states = await launched.window.evaluate(async () => {
    const names = ['geolocation', 'notifications', 'camera', 'microphone'] as const;
    const all = names.map(async (name) => navigator.permissions.query({ name }));
    return (await Promise.all(all)).map(({ state }) => state);
  });
  expect(new Set(states)).toEqual(new Set(['denied']));
});

test('a second start ends at once and leaves one app', async ({ launched }) => {
  const { app, home } = launched;
  const executable = await app.evaluate(({ app: main }) => main.getPath('exe'));
  const root = process.geteuid?.() === 0;
  const second = spawn(executable, [...(root ? ['--no-sandbox'] : []), projectRoot], {
    env: { ...process.env, INTERLOCK_HOME: home },
    stdio: 'ignore',
  });
  const [code] = (await once(second, 'exit')) as [number | null];
  expect(code).toBe(0);
  expect(app.windows()).toHaveLength(1);
});

test('a command that nobody allowed is asked about, and denied with one key', async ({
  launched,
}) => {
  const { window, home } = launched;
  const env = { ...process.env, INTERLOCK_HOME: home };
  const runner = spawn(process.execPath, [join(projectRoot, 'dist/runner/main.js')], {
    env,
    stdio: 'ignore',
  });
  try {
    await expect
      .poll(() => launched.interlock('status', '--json').status, { timeout: 10_000 })
      .toBe(0);
    const cli = join(projectRoot, 'dist/runner/cli/main.js');
    const command = spawn(process.execPath, [cli, 'run', '--', 'touch', join(home, 'x')], { env });
    await expect(window.getByText('touch').first()).toBeVisible();
    await window.getByRole('button', { name: /deny/iu }).first().click();
    const [code] = (await once(command, 'exit')) as [number | null];
    expect(code).toBe(126);
  } finally {
    runner.kill();
    await once(runner, 'exit');
  }
});
