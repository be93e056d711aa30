import { virtualAuthenticator } from '../support/authenticator.ts';
import { axeFindings } from '../support/axe.ts';
import { allow, commandOn, expect, test } from '../support/console.ts';
import { machineAndPhone, pair, passphrase } from '../support/phone.ts';

test('a phone is paired, answers what its rights say, and is revoked in the middle of an ask', async ({
  launchOptions,
}) => {
  const { interlock, port, invite, desk, phone, close } = await machineAndPhone(
    launchOptions.executablePath,
  );
  try {
    const page = await desk();
    const mobile = await phone();
    const complaints: string[] = [];
    mobile.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) complaints.push(message.text());
    });
    const authenticator = await virtualAuthenticator(mobile);
    const link = invite('answer');
    await pair(mobile, link);
    expect(mobile.url()).not.toContain('pair');
    expect(await axeFindings(mobile)).toEqual([]);
    await mobile.screenshot({ path: test.info().outputPath('locked-dark.png') });

    // Behind its lock screen it is told nothing of what waits.
    const waiting = interlock.run('ls', '/');
    await expect(commandOn(page)).toContainText('ls /');
    await expect(commandOn(mobile)).toHaveCount(0);
    await authenticator.verified(false);
    await mobile.getByRole('button', { name: 'Open with the passkey' }).click();
    await expect(mobile.getByRole('alert')).toContainText('cancelled');
    await authenticator.verified(true);
    await mobile.getByRole('button', { name: 'Open with the passkey' }).click();
    await expect(commandOn(mobile)).toContainText('ls /');
    expect(await axeFindings(mobile)).toEqual([]);
    await mobile.screenshot({ path: test.info().outputPath('ask-dark.png') });
    await allow(mobile, 'Allow with a passkey');
    expect(await waiting.done).toMatchObject({ status: 0 });
    await expect(commandOn(page)).toHaveCount(0);

    // What stays in the browser is a key that does not come out, and nothing of an ask.
    const kept = await mobile.evaluate(async () => ({
      caches: await caches.keys(),
      storage: JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
      cookies: document.cookie,
    }));
    expect(kept).toMatchObject({ caches: [], cookies: '' });
    expect(kept.storage).not.toMatch(/ls \/|session|correct/u);
    expect(await mobile.context().cookies()).toEqual([]);

    // The code was good once, and the copied address opens nothing for another phone.
    const thief = await phone('light');
    await virtualAuthenticator(thief);
    await thief.goto(link);
    await thief.getByLabel('Passphrase').fill(passphrase);
    await thief.getByRole('button', { name: 'Pair this device' }).click();
    await expect(thief.getByRole('alert')).toContainText('used already');
    await thief.screenshot({ path: test.info().outputPath('refused-light.png') });
    const rebound = await thief.goto(`https://other.example:${port}/`).catch(() => null);
    expect(rebound?.status() ?? 421).toBe(421);

    const second = interlock.run('ls', '/usr');
    await expect(commandOn(mobile)).toContainText('ls /usr');
    const gone = await interlock.call('device', 'revoke', 'phone').done;
    expect(gone).toMatchObject({ status: 0 });
    await expect(mobile.getByText('not paired any more')).toBeVisible();
    await expect(commandOn(mobile)).toHaveCount(0);
    await allow(page, 'Allow once');
    expect(await second.done).toMatchObject({ status: 0 });

    const locker = await phone('light');
    await virtualAuthenticator(locker);
    await locker.goto(invite('lockout', 'tablet'));
    await locker.getByLabel('Passphrase').fill(passphrase);
    await locker.getByRole('button', { name: 'Pair this device' }).click();
    const lockout = locker.getByRole('button', { name: 'Lock out' });
    await expect(lockout).toBeEnabled();
    await expect(locker.getByRole('button', { name: 'Open with the passkey' })).toHaveCount(0);
    await locker.screenshot({ path: test.info().outputPath('lockout-light.png') });
    await lockout.click();
    await locker.getByRole('button', { name: 'Tap again' }).click();
    await expect(page).toHaveTitle('Locked out · Interlock');
    expect(complaints).toEqual([]);
    const log = (await interlock.call('audit', 'search', 'device', '--json').done).stdout;
    expect(log).toContain('device-paired-elsewhere');
    expect(log).toContain('device-revoked-elsewhere');
  } finally {
    await close();
  }
});
