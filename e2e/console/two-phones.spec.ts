import type { Page } from '@playwright/test';
import { virtualAuthenticator } from '../support/authenticator.ts';
import { axeFindings } from '../support/axe.ts';
import { commandOn, deny, expect, test } from '../support/console.ts';
import {
  machineAndPhone,
  pair,
  passphrase,
  press,
  sayYes,
  wantTwoPeople,
} from '../support/phone.ts';

const allowed = (page: Page) => page.getByRole('button', { name: 'Allow with a passkey' });

test('what wants two people is allowed by the phones of both, in either order, and by no two of one', async ({
  launchOptions,
}) => {
  const { interlock, invite, invitePerson, desk, phone, close } = await machineAndPhone(
    launchOptions.executablePath,
  );
  try {
    await wantTwoPeople(interlock);
    const page = await desk();

    const [mine, tablet, bens] = [await phone(), await phone(), await phone('light')];
    for (const one of [mine, tablet, bens]) await virtualAuthenticator(one);
    await pair(mine, invite('everything'));
    await pair(tablet, invite('everything', 'tablet'));
    // Ben types no passphrase: the owner did, at the machine.
    await bens.goto(await invitePerson('Ben', 'bens-phone'));
    await expect(bens.getByText('answers as Ben')).toBeVisible();
    await expect(bens.getByLabel('Passphrase')).toHaveCount(0);
    expect(await axeFindings(bens)).toEqual([]);
    await bens.screenshot({ path: test.info().outputPath('pair-ben-light.png') });
    await press(bens, 'Pair this device');
    for (const one of [mine, tablet, bens]) await press(one, 'Open with the passkey');

    // He sees what wants two people, and nothing else.
    const other = interlock.run('cat', '/etc/hostname');
    await expect(commandOn(mine)).toContainText('cat');
    await expect(commandOn(bens)).toHaveCount(0);
    await deny(page);
    expect((await other.done).status).not.toBe(0);

    // Whichever is first: the second sees who was, and one person's two devices are one person.
    for (const [first, second, said] of [
      [bens, mine, /Ben said yes with “bens-phone”/u],
      [mine, bens, /The owner said yes with “phone”|said yes with “phone”/u],
    ] as const) {
      const waiting = interlock.run('ls', '/');
      for (const one of [mine, tablet, bens]) await expect(commandOn(one)).toContainText('ls /');
      await sayYes(first);
      await expect(second.getByText(said)).toBeVisible();
      if (first === mine) {
        await expect(tablet.getByText(said)).toBeVisible();
        await expect(allowed(tablet)).toHaveCount(0);
        await tablet.screenshot({ path: test.info().outputPath('same-person-dark.png') });
      }
      await sayYes(second);
      expect(await waiting.done).toMatchObject({ status: 0 });
    }

    // Both at once: one counts, the other is told, sees who was first, and says yes to that.
    const both = interlock.run('ls', '/usr');
    for (const one of [mine, bens])
      await expect(allowed(one)).toHaveAttribute('aria-disabled', 'false');
    await Promise.all([mine, bens].map((one) => allowed(one).click()));
    const said = /said yes with “(phone|bens-phone)”/u;
    await expect(bens.getByText(said)).toBeVisible();
    const bensWasFirst = await bens.getByText(/Ben said yes/u).isVisible();
    await sayYes(bensWasFirst ? mine : bens);
    expect(await both.done).toMatchObject({ status: 0 });

    // A phone that is taken out in the middle takes its yes with it.
    const middle = interlock.run('ls', '/opt');
    for (const one of [mine, bens]) await expect(commandOn(one)).toContainText('ls /opt');
    await sayYes(bens);
    await expect(mine.getByText(/Ben said yes/u)).toBeVisible();
    expect(await interlock.call('device', 'revoke', 'bens-phone').done).toMatchObject({
      status: 0,
    });
    await expect(bens.getByText('not paired any more')).toBeVisible();
    await sayYes(mine);
    await expect(mine.getByText(/Ben said yes/u)).toHaveCount(0);
    await expect(commandOn(page)).toContainText('ls /opt');
    await press(page, 'Deny');
    expect((await middle.done).status).not.toBe(0);

    const log = await interlock.call('audit', 'export', '--format', 'csv').done;
    expect(log.stdout).toContain('yes by Ben with the passkey');
    expect(log.stdout).toContain('of Ben');
    expect(log.stdout).not.toContain(passphrase);
    expect(await interlock.call('audit', 'verify').done).toMatchObject({ status: 0 });
  } finally {
    await close();
  }
});
