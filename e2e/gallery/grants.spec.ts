import { callsOf, expect, test } from '../support/gallery.ts';

test('what was allowed for a while is listed with the time left, and can be revoked', async ({
  page,
  gallery,
}) => {
  await gallery.open('granted', 'allowlist');
  const grants = page.getByRole('region', { name: 'Allowed for a while' });
  await expect(grants).toContainText('npm run build');
  await expect(grants).toContainText(/1[34]:\d\d left/);
  await expect(grants).toContainText('One exact command');
  await expect(grants).toContainText('until the session ends');
  await grants.getByRole('button', { name: 'Revoke' }).first().click();
  await expect(grants).not.toContainText('npm run build');
  expect((await callsOf(page)).at(-1)).toEqual({ name: 'endGrant', args: { id: 'g1' } });
  await grants.getByRole('button', { name: 'Revoke' }).click();
  await expect(grants).toHaveCount(0);
});
