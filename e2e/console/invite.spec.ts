import { virtualAuthenticator } from '../support/authenticator.ts';
import { axeFindings } from '../support/axe.ts';
import { commandOn, expect, test } from '../support/console.ts';
import { machineAndPhone, pair, passphrase, press, wantTwoPeople } from '../support/phone.ts';

test('a second person is invited from the settings, with the passphrase typed at the machine alone', async ({
  launchOptions,
}) => {
  const { interlock, desk, phone, close } = await machineAndPhone(launchOptions.executablePath);
  try {
    await wantTwoPeople(interlock);
    const page = await desk();
    await page.getByRole('button', { name: 'Settings' }).click();
    const devices = page.getByRole('region', { name: 'Devices' });
    const dialog = page.getByRole('dialog', { name: 'Invite a phone' });
    const link = async (): Promise<string> =>
      (await dialog.locator('.device-address').textContent()) ?? '';

    // The owner's own: nothing is shown here, and the phone asks for the passphrase.
    await devices.getByRole('button', { name: 'Invite a phone' }).click();
    await dialog.getByLabel('Name').fill('phone');
    await dialog.getByRole('radio', { name: 'Everything' }).check({ force: true });
    expect(await axeFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Show the code' }).click();
    await expect(dialog.getByRole('img', { name: 'Code for phone' })).toBeVisible();
    // Phones do not know the authority of the tests: they have to be told of it.
    await expect(dialog.getByRole('note')).toContainText('“Interlock tests”');
    expect(await axeFindings(page)).toEqual([]);
    const mine = await phone();
    await virtualAuthenticator(mine);
    await pair(mine, await link());
    await expect(dialog.getByText('“phone” is paired.')).toBeVisible();
    await dialog.getByRole('button', { name: 'Done' }).click();

    // Another person's: the owner agrees here, and a wrong passphrase invites nobody.
    await devices.getByRole('button', { name: 'Invite a phone' }).click();
    await dialog.getByLabel('Name').fill('phone');
    await expect(dialog.getByText('There is a device with this name.')).toBeVisible();
    await dialog.getByLabel('Name').fill('bens-phone');
    await dialog.getByLabel('Whose it is').fill('the owner');
    await expect(dialog.getByText('Nobody else can have the name of the owner')).toBeVisible();
    await dialog.getByLabel('Whose it is').fill('Ben');
    await dialog.getByLabel('Passphrase').fill('wrong horse');
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await expect(dialog.getByRole('alert')).toContainText('not the passphrase');
    await expect(dialog.getByRole('img')).toHaveCount(0);
    await dialog.getByLabel('Passphrase').fill(passphrase);
    await page.screenshot({ path: test.info().outputPath('form.png') });
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await expect(dialog.getByText('Show it to Ben alone')).toBeVisible();
    await page.screenshot({ path: test.info().outputPath('code.png') });
    const bens = await phone('light');
    await virtualAuthenticator(bens);
    await bens.goto(await link());
    await expect(bens.getByText('answers as Ben')).toBeVisible();
    await press(bens, 'Pair this device');
    await expect(dialog.getByText('“bens-phone” is paired.')).toBeVisible();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await expect(devices.getByText(/of Ben .* answers everything/u)).toBeVisible();

    // They are two people.
    for (const one of [mine, bens]) await press(one, 'Open with the passkey');
    const waiting = interlock.run('ls', '/');
    for (const one of [bens, mine]) {
      await expect(commandOn(one)).toContainText('ls /');
      if (one === mine) await expect(mine.getByText(/Ben said yes/u)).toBeVisible();
      const allowed = one.getByRole('button', { name: 'Allow with a passkey' });
      await expect(allowed).toHaveAttribute('aria-disabled', 'false');
      await allowed.click();
    }
    expect(await waiting.done).toMatchObject({ status: 0 });
    const log = (await interlock.call('audit', 'search', 'bens-phone', '--json').done).stdout;
    expect(log).toContain('the passphrase when they invited it');
  } finally {
    await close();
  }
});
