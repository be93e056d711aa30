import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { allow, commandOn, deny, expect, expectNothingWaiting, test } from '../support/console.ts';
import type { Call, Interlock } from '../support/interlock.ts';

test.skip(process.platform !== 'linux', 'The network of a sandbox is filtered on Linux.');

/** What a client in a box is told, asked for a host that no list names and that is nowhere. */
const asks = (interlock: Interlock, host: string): Call => {
  const project = join(interlock.work, 'project');
  const curl = ['curl', '-sS', '-m', '60', '-D', '-', '-o', '/dev/null', `http://${host}/`];
  return interlock.call('run', '--session', 's1', '--cwd', project, '--', ...curl);
};

/** Refused: 403. Let through to a name that leads nowhere: 502. */
const statusIn = (stdout: string): string => /^HTTP\/1\.1 (\d+)/u.exec(stdout)?.[1] ?? stdout;
const codeIn = (stdout: string): string => /^x-interlock-refusal: (\S+)/imu.exec(stdout)?.[1] ?? '';

async function boxed(interlock: Interlock): Promise<void> {
  // A sandbox whose workspace held the home of Interlock is refused.
  await mkdir(join(interlock.work, 'project'));
  const exec = { host: 'sandbox' };
  const config = {
    version: 1,
    exec,
    sandbox: { network: 'restricted' },
    egress: { presets: [], github: 'off' },
  };
  await writeFile(join(interlock.home, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  const path = join(interlock.home, 'exec-approvals.json');
  const policy = JSON.parse(await readFile(path, 'utf8')) as object;
  const agents = {
    '*': { security: 'allowlist', allowlist: [{ id: 'curl', pattern: 'curl', args: ['...'] }] },
  };
  await writeFile(path, JSON.stringify({ ...policy, agents }), { mode: 0o600 });
  await interlock.stopRunner();
  await interlock.startRunner();
}

async function shown(page: Page, host: string): Promise<void> {
  await expect(commandOn(page)).toContainText(`${host}:80`);
  await expect(page.getByRole('heading', { name: /wants to reach/ })).toBeVisible();
}

test('an ask of a box is shown with whose it is, held, and answered once or for a session', async ({
  interlock,
  approver,
}) => {
  await boxed(interlock);
  await expect(approver).toHaveTitle('Armed · Interlock');
  const first = asks(interlock, 'one.invalid');
  await shown(approver, 'one.invalid');
  // All that a person needs in three seconds stands on the first screen, without scrolling.
  for (const seen of ['wants to reach', 'from a sandbox', 'one.invalid:80'])
    await expect(approver.locator('.prompt').getByText(seen).first()).toBeInViewport();
  await expect(approver.getByRole('button', { name: /^Deny/ })).toBeInViewport();
  await allow(approver, 'Allow once');
  const { stdout, status } = await first.done;
  expect([status, statusIn(stdout), codeIn(stdout)]).toEqual([0, '502', 'upstream-unavailable']);

  // "Once" was for that command: the next one is asked about, and a session holds for the one after.
  const second = asks(interlock, 'one.invalid');
  await shown(approver, 'one.invalid');
  await approver.getByRole('radio', { name: /This session/ }).check({ force: true });
  const forSession = approver.getByRole('button', { name: /^For this session/ });
  await expect(forSession).toHaveAttribute('aria-disabled', 'false');
  await forSession.click();
  expect(statusIn((await second.done).stdout)).toBe('502');
  expect(statusIn((await asks(interlock, 'one.invalid').done).stdout)).toBe('502');
  await expectNothingWaiting(approver);
});

test('always and never are rules, and a no closes the connection that waited', async ({
  interlock,
  approver,
}) => {
  await boxed(interlock);
  await expect(approver).toHaveTitle('Armed · Interlock');
  const denied = asks(interlock, 'two.invalid');
  await shown(approver, 'two.invalid');
  await deny(approver);
  const no = (await denied.done).stdout;
  expect([statusIn(no), codeIn(no)]).toEqual(['403', 'confirm-rejected']);

  const always = asks(interlock, 'three.invalid');
  await shown(approver, 'three.invalid');
  const button = approver.getByRole('button', { name: /^Always allow three\.invalid/ });
  await expect(button).toHaveAttribute('aria-disabled', 'false');
  await button.click();
  expect(statusIn((await always.done).stdout)).toBe('502');
  const { agents = {} } = await interlock.policy();
  const rules = Object.values(agents).flatMap(({ allowlist = [] }) => allowlist);
  expect(rules.filter(({ kind }) => kind === 'egress')).toMatchObject([
    { effect: 'allow', pattern: 'three.invalid:80', source: 'allow-always' },
  ]);
  expect(statusIn((await asks(interlock, 'three.invalid').done).stdout)).toBe('502');
  await expectNothingWaiting(approver);
});

test('the lockout closes a connection that waits for an answer', async ({
  interlock,
  approver,
}) => {
  await boxed(interlock);
  await expect(approver).toHaveTitle('Armed · Interlock');
  const held = asks(interlock, 'four.invalid');
  await shown(approver, 'four.invalid');
  await approver.getByRole('button', { name: 'Lock out' }).click();
  await expect(approver.getByRole('heading', { name: 'Everything is locked out' })).toBeVisible();
  const { status, stdout } = await held.done;
  expect(status).not.toBe(0);
  expect(statusIn(stdout)).not.toBe('502');
});
