import type { Page } from '@playwright/test';
import { homePaths, ownUid } from '../../shared/home/index.ts';
import { changeDevices, readDevices } from '../../shared/operations/index.ts';
import { virtualAuthenticator } from '../support/authenticator.ts';
import { wholeBrowser } from '../support/browsers.ts';
import { commandOn, expect, test } from '../support/console.ts';
import { machineAndPhone, passphrase, sayYes } from '../support/phone.ts';

test.use({ launchOptions: wholeBrowser });

interface Assertion {
  readonly id: string;
  readonly clientDataJSON: string;
}
interface Yes {
  readonly id: string;
  readonly askDigest: string;
  readonly assertion?: Assertion;
}
type Change = (answer: Yes) => Yes;

/** What the page sends on its socket, as somebody in the page could change it. */
async function tampered(page: Page): Promise<{ change: Change | null; sent: Yes[] }> {
  const state: { change: Change | null; sent: Yes[] } = { change: null, sent: [] };
  await page.routeWebSocket(/.*/u, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((text) => {
      const message = JSON.parse(String(text)) as { readonly name?: string; readonly args: Yes };
      if (message.name !== 'answer' || message.args.assertion === undefined) {
        server.send(text);
        return;
      }
      state.sent.push(message.args);
      const args = state.change?.(message.args) ?? message.args;
      server.send(JSON.stringify({ ...message, args }));
    });
  });
  return state;
}

/** The same client data, said to be of a page elsewhere. */
function elsewhere({ clientDataJSON, ...rest }: Assertion): Assertion {
  const data = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as object;
  const changed = JSON.stringify({ ...data, origin: 'https://other.example' });
  return { ...rest, clientDataJSON: Buffer.from(changed).toString('base64url') };
}

/** In the place of a push service, which this browser does not reach. */
async function withPushService(page: Page): Promise<void> {
  await page.addInitScript(() => {
    PushManager.prototype.getSubscription = async () => null;
    PushManager.prototype.subscribe = async () =>
      ({
        endpoint: 'https://fcm.googleapis.com/a-phone',
        getKey: (name: string) => new Uint8Array(name === 'auth' ? 16 : 65).buffer,
      }) as unknown as PushSubscription;
  });
}

/** Waits until the machine knows where its one phone is told, and has it forget that: nothing is sent there. */
async function toldAt(home: string): Promise<void> {
  const file = { paths: homePaths({ INTERLOCK_HOME: home }), uid: ownUid() };
  await expect
    .poll(() => readDevices(file)[0]?.push?.endpoint)
    .toBe('https://fcm.googleapis.com/a-phone');
  await changeDevices(file, (devices) => devices.map(({ push: _push, ...one }) => one));
}

test('what a phone did not sign for this ask allows nothing, and a push says that one waits and no more', async ({
  launchOptions,
}) => {
  const { interlock, port, invite, desk, phone, close } = await machineAndPhone(
    launchOptions.executablePath,
  );
  try {
    const page = await desk();
    const mobile = await phone('dark', 'de-DE');
    const authenticator = await virtualAuthenticator(mobile);
    const wire = await tampered(mobile);
    await withPushService(mobile);
    // Its clock is minutes behind, and nobody looks at it.
    await mobile.clock.setSystemTime(Date.now() - 7 * 60_000);
    await mobile.goto(invite('everything'));
    await mobile.screenshot({ path: test.info().outputPath('de-pair.png') });
    await mobile.getByLabel('Passphrase').fill(passphrase);
    await mobile.getByRole('button', { name: 'Dieses Gerät koppeln' }).click();
    const open = mobile.getByRole('button', { name: 'Mit dem Passkey öffnen' });
    await expect(open).toBeEnabled();
    await mobile.screenshot({ path: test.info().outputPath('de-locked.png') });
    await open.click();
    await expect(open).toHaveCount(0);

    // What the machine's browser has of a push: the words are ours, whatever came.
    const notices = async (): Promise<readonly (readonly [string, string])[]> =>
      mobile.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration();
        const shown = (await registration?.getNotifications()) ?? [];
        return shown.map(({ title, body }) => [title, body] as const);
      });
    await mobile.context().grantPermissions(['notifications']);
    await mobile.getByRole('button', { name: 'Bescheid geben' }).click();
    await toldAt(interlock.home);
    const session = await mobile.context().newCDPSession(mobile);
    const registered = new Promise<string>((resolve) => {
      session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [one] }) => {
        if (one !== undefined) resolve(one.registrationId);
      });
    });
    await session.send('ServiceWorker.enable');
    const registrationId = await registered;
    const origin = `https://desk.home.example:${String(port)}`;
    const data = 'rm -rf / from an attacker';
    await expect(async () => {
      await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
      expect(await notices()).toEqual([['Interlock', 'An ask waits.']]);
    }).toPass({ timeout: 15_000 });

    const language = 'de';
    const refused = (said: string, change: Change): Promise<void> => {
      wire.change = change;
      return sayYes(mobile, { language, said });
    };
    const first = interlock.run('ls', '/');
    await expect(commandOn(mobile)).toContainText('ls /');
    await expect(mobile.getByRole('button', { name: 'Ablehnen' })).toContainText(/[12]:\d\d/u);
    await mobile.screenshot({ path: test.info().outputPath('de-ask.png') });
    await refused('another page', (one) => ({
      ...one,
      ...(one.assertion && { assertion: elsewhere(one.assertion) }),
    }));
    // A copy that has fallen behind.
    await authenticator.countTo(0);
    await refused('fit', (one) => one);
    await mobile.screenshot({ path: test.info().outputPath('de-refused.png') });
    await authenticator.countTo(100);
    await refused('kam zu spät', (one) => ({ ...one, askDigest: 'f'.repeat(64) }));
    // Nothing ran, and it waits as it did.
    await expect(commandOn(page)).toContainText('ls /');
    await mobile.reload();
    await open.click();
    await expect(commandOn(mobile)).toContainText('ls /');
    // The machine had forgotten where to tell it, and is told again without a word.
    await toldAt(interlock.home);
    wire.change = null;
    await sayYes(mobile, { language });
    expect(await first.done).toMatchObject({ status: 0 });

    // The yes to one ask is none to the next.
    const [replayed] = wire.sent.slice(-1);
    const second = interlock.run('ls', '/usr');
    await expect(commandOn(mobile)).toContainText('ls /usr');
    await refused('fit', (one) => ({
      ...one,
      ...(replayed?.assertion && { assertion: replayed.assertion }),
    }));
    await expect(commandOn(page)).toContainText('ls /usr');

    await page.getByRole('button', { name: /^Deny/ }).click();
    expect((await second.done).status).not.toBe(0);
    expect(await interlock.call('audit', 'verify').done).toMatchObject({ status: 0 });
  } finally {
    await close();
  }
});
