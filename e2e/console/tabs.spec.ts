import { allow, commandOn, expect, test } from '../support/console.ts';

test('a second tab joins the session of the first, and answers', async ({
  interlock,
  approver,
}) => {
  const second = await approver.context().newPage();
  await second.goto(new URL('/', approver.url()).href);
  await expect(second).toHaveTitle('Armed · Interlock');
  const { done } = interlock.call('run', '--', 'echo', 'from the second');
  await expect(commandOn(second)).toContainText('from the second');
  await allow(second, 'Allow once');
  expect(await done).toMatchObject({ status: 0, stdout: 'from the second\n' });
  // The session is kept for the tab alone: nothing of it is in a cookie or in the storage of the origin.
  expect(await approver.context().cookies()).toEqual([]);
  const kept = await second.evaluate(() => JSON.stringify(localStorage));
  const session = await second.evaluate(() => sessionStorage.getItem('interlock.session'));
  expect(session).not.toBeNull();
  expect(kept).not.toContain(session);
});

test('a tab of another browser profile joins nothing, until it has a link of its own', async ({
  interlock,
  approver,
  browser,
}) => {
  const other = await browser.newContext();
  const stranger = await other.newPage();
  await stranger.goto(new URL('/', approver.url()).href);
  await expect(stranger.getByRole('alert')).toContainText('not connected to Interlock');
  await stranger.getByRole('button', { name: 'Look for a connection again' }).click();
  await expect(stranger.getByRole('alert')).toContainText('not connected to Interlock');
  // With one tab that is connected, the others of its profile are, too.
  const third = await other.newPage();
  await third.goto(await interlock.anotherLink());
  await expect(third).toHaveTitle('Armed · Interlock');
  await expect(stranger).toHaveTitle('Armed · Interlock');
  await other.close();
});

test('the palette locks out, and what waits is refused', async ({ interlock, approver }) => {
  const waiting = interlock.call('run', '--', 'echo', 'too late');
  await expect(commandOn(approver)).toContainText('too late');
  await approver.keyboard.press('Control+k');
  await approver.keyboard.type('lock out');
  await approver.keyboard.press('Enter');
  await expect(approver.getByRole('heading', { name: 'Everything is locked out' })).toBeVisible();
  expect(await waiting.done).toMatchObject({ status: 126, stdout: '' });
  expect(await interlock.call('run', '--', 'echo', 'after').done).toMatchObject({ status: 126 });
});
