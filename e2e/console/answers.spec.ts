import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { allow, commandOn, deny, expect, expectNothingWaiting, test } from '../support/console.ts';

test('Allow once runs the command and passes its output and status on', async ({
  interlock,
  approver,
}) => {
  const { done } = interlock.call('run', '-c', 'head -c 0 /dev/null; echo from inside; exit 3');
  await expect(commandOn(approver)).toContainText('echo from inside');
  await allow(approver, 'Allow once');
  expect(await done).toMatchObject({ status: 3, stdout: 'from inside\n' });
  await expectNothingWaiting(approver);
});

test('Deny refuses with 126, a code and a sentence, and nothing runs', async ({
  interlock,
  approver,
}) => {
  const target = join(interlock.work, 'kept');
  await mkdir(target);
  const { done } = interlock.call('run', '--', 'rmdir', target);
  await expect(commandOn(approver)).toContainText('rmdir');
  await approver.getByRole('button', { name: 'Note', exact: true }).click();
  await approver.getByLabel('Note to the agent').fill('keep that folder');
  await deny(approver);
  const outcome = await done;
  expect(outcome.status).toBe(126);
  expect(outcome.stderr).toContain('confirm-rejected');
  expect(outcome.stderr).toContain('keep that folder');
  expect((await stat(target)).isDirectory()).toBe(true);
  await expectNothingWaiting(approver);
});

test('Deny counts at once where nothing stood before it', async ({ interlock, page }) => {
  await page.clock.install();
  await page.goto(await interlock.openConsole());
  await expect(page).toHaveTitle('Armed · Interlock');
  // From here on no time passes for the page: whatever waits for a delay waits for good.
  await page.clock.pauseAt(Date.now() + 60_000);
  const { done } = interlock.call('run', '--', 'echo', 'at once');
  await expect(commandOn(page)).toContainText('at once');
  await page.getByRole('button', { name: /^Deny/ }).click();
  expect((await done).status).toBe(126);
  await expectNothingWaiting(page);
});

test('Always allow writes a rule, and the second run is not asked about', async ({
  interlock,
  approver,
}) => {
  const first = interlock.call('run', '--', 'uname', '-s');
  await expect(commandOn(approver)).toContainText('uname');
  const always = approver.getByRole('button', { name: /^Always allow/ });
  await expect(always).toHaveAttribute('aria-disabled', 'false');
  await always.click();
  expect(await first.done).toMatchObject({ status: 0 });
  const { agents = {} } = await interlock.policy();
  const rules = Object.values(agents).flatMap(({ allowlist = [] }) => allowlist);
  expect(rules).toMatchObject([{ source: 'allow-always', args: ['-s'] }]);
  expect(await interlock.call('run', '--', 'uname', '-s').done).toMatchObject({ status: 0 });
  await expectNothingWaiting(approver);
});

test('high risk is held, offers no "always", and runs', async ({ interlock, approver }) => {
  const target = join(interlock.work, 'opened');
  await mkdir(target, { mode: 0o700 });
  const { done } = interlock.call('run', '--', 'chmod', '-R', '777', target);
  await expect(approver.getByText('This can do harm', { exact: true })).toBeVisible();
  await expect(approver.getByRole('radio', { name: 'Always' })).toHaveCount(0);
  await expect(approver.getByRole('button', { name: /^Always allow/ })).toHaveCount(0);
  const hold = approver.getByRole('button', { name: 'Hold to allow once' });
  await expect(hold).toHaveAttribute('aria-disabled', 'false');
  await hold.hover();
  await approver.mouse.down();
  expect(await done).toMatchObject({ status: 0 });
  await approver.mouse.up();
  expect((await stat(target)).mode & 0o777).toBe(0o777);
});

test('keys alone answer: deny one, allow the next', async ({ interlock, approver }) => {
  const first = interlock.call('run', '--', 'echo', 'one');
  await expect(commandOn(approver)).toContainText('one');
  const second = interlock.call('run', '--', 'printf', 'two');
  await expect(approver).toHaveTitle('2 asks · Interlock');
  await expect(approver.getByRole('button', { name: /^Deny/ }).first()).toBeFocused();
  await expect(approver.getByRole('button', { name: 'Allow once' })).toHaveAttribute(
    'aria-disabled',
    'false',
  );
  await approver.keyboard.press('d');
  expect(await first.done).toMatchObject({ status: 126 });
  await expect(commandOn(approver)).toContainText('two');
  await expect(approver.getByRole('button', { name: 'Allow once' })).toHaveAttribute(
    'aria-disabled',
    'false',
  );
  await approver.keyboard.press('a');
  expect(await second.done).toMatchObject({ status: 0, stdout: 'two' });
});

test('an ask that is withdrawn vanishes and lands in Missed', async ({ interlock, approver }) => {
  const call = interlock.call('run', '--', 'echo', 'never mind');
  await expect(commandOn(approver)).toContainText('never mind');
  call.interrupt();
  await call.done;
  await expectNothingWaiting(approver);
  await approver.getByRole('link', { name: 'Missed' }).click();
  await expect(approver.getByText('The agent stopped waiting', { exact: true })).toBeVisible();
});

test('an ask answered in one tab is gone in the other, and counts once', async ({
  interlock,
  approver,
}) => {
  const again = await approver.context().newPage();
  const relink = await interlock.call('ui', '--console').done;
  const link = /http:\/\/\S+/.exec(relink.stdout)?.[0];
  await again.goto(link ?? 'about:blank');
  const { done } = interlock.call('run', '--', 'echo', 'twice');
  await expect(commandOn(approver)).toContainText('twice');
  await expect(commandOn(again)).toContainText('twice');
  await allow(again, 'Allow once');
  expect(await done).toMatchObject({ status: 0, stdout: 'twice\n' });
  await expectNothingWaiting(approver);
  await expectNothingWaiting(again);
});

test('a reload keeps the queue', async ({ interlock, approver }) => {
  const { done } = interlock.call('run', '--', 'echo', 'still here');
  await expect(commandOn(approver)).toContainText('still here');
  await approver.reload();
  await expect(commandOn(approver)).toContainText('still here');
  await allow(approver, 'Allow once');
  expect(await done).toMatchObject({ status: 0 });
});

test('what a new rule covers does not wait any more, and the rule can be taken out again', async ({
  approver,
  interlock,
}) => {
  const run = (...argv: readonly string[]) =>
    interlock.call('run', '--agent', 'claude', '--cwd', interlock.work, '--', ...argv);
  const first = run('ls', '--version');
  await expect(commandOn(approver)).toContainText('ls --version');
  const second = run('ls', '--version');
  const other = run('uname', '-a');
  await expect(approver.locator('.queue-item')).toHaveCount(3);
  const always = approver.getByRole('button', { name: /^Always allow ls --version/ });
  await expect(always).toHaveAttribute('aria-disabled', 'false');
  await approver.keyboard.press('Shift+A');
  expect((await first.done).status).toBe(0);
  expect((await second.done).status).toBe(0);
  await expect(approver.getByText('Rule added · 1 more allowed')).toBeVisible();
  await expect(commandOn(approver)).toContainText('uname -a');
  const rulesOf = async () => (await interlock.policy()).agents?.['claude']?.allowlist ?? [];
  expect(await rulesOf()).toHaveLength(1);
  await approver.getByRole('button', { name: 'Undo' }).click();
  await expect(
    approver.getByText('Rule removed. What has already run is not undone'),
  ).toBeVisible();
  expect(await rulesOf()).toEqual([]);
  await deny(approver);
  expect((await other.done).status).toBe(126);
});

test('what is granted for a while lets the like through at once, and is taken back by Undo', async ({
  approver,
  interlock,
}) => {
  const run = () =>
    interlock.call('run', '--agent', 'claude', '--cwd', interlock.work, '--', 'uname', '-a');
  const first = run();
  await expect(commandOn(approver)).toContainText('uname -a');
  const second = run();
  await expect(approver.locator('.queue-item')).toHaveCount(2);
  await approver.keyboard.press('2');
  const grant = approver.getByRole('button', { name: /^For 15 minutes/ });
  await expect(grant).toHaveAttribute('aria-disabled', 'false');
  await approver.keyboard.press('Shift+A');
  expect([(await first.done).status, (await second.done).status]).toEqual([0, 0]);
  await expect(approver.getByText('Allowed for a while · 1 more allowed')).toBeVisible();
  await approver.getByRole('button', { name: 'Undo' }).click();
  await expect(approver.getByText(/^You will be asked again/)).toBeVisible();
  const third = run();
  await expect(commandOn(approver)).toContainText('uname -a');
  await deny(approver);
  expect((await third.done).status).toBe(126);
});
