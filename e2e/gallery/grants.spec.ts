import type { GalleryWindow } from '../gallery-page/fake-bridge.ts';
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

test('a raised session stands at the top of every view with its times, and is ended by a click', async ({
  page,
  gallery,
}) => {
  await gallery.open('raised', 'history');
  const raised = page.getByRole('region', { name: 'Raised for a while' });
  const rows = raised.getByRole('listitem');
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText('claude, session 4f2a: /elevated on');
  await expect(rows.first()).toContainText(/since \d\d:\d\d, until \d\d:\d\d · 1[34]:\d\d left/);
  await expect(page.getByText('A session of codex is raised for a while.')).toBeAttached();
  await page.getByRole('link', { name: 'Asks' }).click();
  await raised.getByRole('button', { name: 'End it: claude, session 4f2a' }).click();
  await expect(rows).toHaveCount(1);
  expect((await callsOf(page)).at(-1)).toEqual({ name: 'endGrant', args: { id: 'e1' } });
  await gallery.pass(61_000);
  await expect(raised).toHaveCount(0);
});

test('a phone that only answers sees who is raised, and has no button for its end', async ({
  page,
  gallery,
}) => {
  await gallery.open('raised');
  await page.evaluate(() =>
    (window as unknown as GalleryWindow).pushState((state) => ({
      ...state,
      device: { id: 'd', name: 'phone', rights: 'answer', opened: 'passkey' },
    })),
  );
  const raised = page.getByRole('region', { name: 'Raised for a while' });
  await expect(raised).toContainText('claude');
  await expect(raised.getByRole('button')).toHaveCount(0);
});

test.describe('in German', () => {
  test.use({ locale: 'de-DE' });
  test('a raised session is told with its end', async ({ page, gallery }) => {
    await gallery.open('raised');
    const raised = page.getByRole('region', { name: 'Für eine Weile erweitert' });
    await expect(raised).toContainText('claude, Sitzung 4f2a: /elevated on');
    await raised.getByRole('button', { name: 'Beenden: claude, Sitzung 4f2a' }).click();
    await expect(raised).not.toContainText('claude');
  });
});
