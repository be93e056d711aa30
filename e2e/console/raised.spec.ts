import { allow, commandOn, expect, expectNothingWaiting, test } from '../support/console.ts';

test('a session is raised by a person, shown, ended by a click, and asks again', async ({
  interlock,
  approver,
}) => {
  const whose = ['--agent', 'claude', '--session', 's1'] as const;
  const run = (word: string) => interlock.call('run', ...whose, '--', 'echo', word);
  const raised = approver.getByRole('region', { name: 'Raised for a while' });

  const asked = interlock.call('session', 'elevated', 'full', ...whose);
  await expect(commandOn(approver)).toContainText('/elevated full');
  const hold = approver.getByRole('button', { name: 'Hold to allow once' });
  await expect(hold).toHaveAttribute('aria-disabled', 'false');
  await hold.hover();
  await approver.mouse.down();
  expect(await asked.done).toMatchObject({ status: 0 });
  await approver.mouse.up();

  await expect(raised).toContainText('claude, session s1: /elevated full');
  expect(await run('unasked').done).toMatchObject({ status: 0, stdout: 'unasked\n' });
  await expectNothingWaiting(approver);

  await raised.getByRole('button', { name: 'End it: claude, session s1' }).click();
  await expect(raised).toHaveCount(0);
  const again = run('asked again');
  await expect(commandOn(approver)).toContainText('asked again');
  await allow(approver, 'Allow once');
  expect(await again.done).toMatchObject({ status: 0, stdout: 'asked again\n' });
});
