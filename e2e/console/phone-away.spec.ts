import { virtualAuthenticator } from '../support/authenticator.ts';
import { axeFindings } from '../support/axe.ts';
import { allow, commandOn, deny, expect, test } from '../support/console.ts';
import { machineAndPhone, pair } from '../support/phone.ts';

test('a phone whose network is away allows nothing, then or later, and says so', async ({
  launchOptions,
}) => {
  const { interlock, network, invite, desk, phone, close } = await machineAndPhone(
    launchOptions.executablePath,
  );
  try {
    const page = await desk();
    const mobile = await phone('light');
    await virtualAuthenticator(mobile);
    await pair(mobile, invite('everything'));
    const open = mobile.getByRole('button', { name: 'Open with the passkey' });
    const gone = mobile.getByText('connection to the approver is lost');
    await open.click();
    const waiting = interlock.run('ls', '/');
    await expect(commandOn(mobile)).toContainText('ls /');

    // The phone knows: nothing is on screen to be answered, and no tap does anything.
    await mobile.context().setOffline(true);
    await expect(gone).toBeVisible();
    await expect(commandOn(mobile)).toHaveCount(0);
    await expect(open).toBeDisabled();
    await expect(mobile.getByRole('button', { name: 'Lock out' })).toBeDisabled();
    expect(await axeFindings(mobile)).toEqual([]);
    await mobile.screenshot({ path: test.info().outputPath('offline-light.png') });
    await mobile.context().setOffline(false);
    await expect(open).toBeEnabled();
    await open.click();
    await expect(commandOn(mobile)).toContainText('ls /');

    // It does not: the yes is under way until the page gives it up, and what then arrives is no yes.
    await expect(mobile.getByRole('button', { name: 'Allow with a passkey' })).toHaveAttribute(
      'aria-disabled',
      'false',
    );
    network.away(true);
    await allow(mobile, 'Allow with a passkey');
    await expect(gone).toBeVisible({ timeout: 20_000 });
    network.away(false);
    await expect(open).toBeEnabled();
    await open.click();
    await expect(commandOn(mobile)).toContainText('ls /');
    await expect(commandOn(page)).toContainText('ls /');
    await deny(page);
    expect((await waiting.done).status).not.toBe(0);
    const log = (await interlock.call('audit', 'search', 'ls', '--json').done).stdout;
    expect(log).not.toContain('allow-once');
  } finally {
    await close();
  }
});
