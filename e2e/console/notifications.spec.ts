import type { BrowserContext, Page } from '@playwright/test';
import type { Interlock } from '../support/interlock.ts';
import { wholeBrowser } from '../support/browsers.ts';
import { commandOn, deny, expect, test } from '../support/console.ts';

test.use({ launchOptions: wholeBrowser });

/** Headless pages always count as looked at: this one does not. */
async function lookAway(page: Page): Promise<void> {
  await page.evaluate(() => {
    Object.defineProperty(document, 'hasFocus', { value: () => false, configurable: true });
  });
}

async function turnOn(page: Page): Promise<void> {
  const origin = new URL(page.url()).origin;
  await page.context().grantPermissions(['notifications'], { origin });
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('radio', { name: 'A notification' }).click({ force: true });
  await expect(page.getByText('Notifications are on in this browser.')).toBeVisible();
  await page.getByRole('link', { name: /^Asks/ }).click();
  await lookAway(page);
}

interface Shown {
  readonly tag: string;
  readonly title: string;
  readonly body: string;
}

async function shown(page: Page): Promise<readonly Shown[]> {
  return page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    const all = (await registration?.getNotifications()) ?? [];
    return all.map(({ tag, title, body }) => ({ tag, title, body }));
  });
}

/** Presses a button of the one notification that stands, as the system would. */
async function press(context: BrowserContext, action: string): Promise<void> {
  const [worker] = context.serviceWorkers();
  await worker?.evaluate(async (pressed) => {
    const scope = globalThis as unknown as {
      readonly registration: { getNotifications(): Promise<readonly object[]> };
      dispatchEvent(event: object): void;
      readonly NotificationEvent: new (type: string, options: object) => object;
    };
    const [notification] = await scope.registration.getNotifications();
    scope.dispatchEvent(
      new scope.NotificationEvent('notificationclick', { notification, action: pressed }),
    );
  }, action);
}

const ask = (interlock: Interlock, ...argv: readonly string[]) =>
  interlock.call('run', '--agent', 'claude', '--cwd', interlock.work, '--', ...argv);

test('a notification denies and allows what its prompt would, and not sooner', async ({
  interlock,
  approver,
}) => {
  await turnOn(approver);
  const first = ask(interlock, 'echo', 'one');
  await expect.poll(() => shown(approver)).toHaveLength(1);
  const [notification] = await shown(approver);
  expect(notification).toMatchObject({ title: 'claude wants to run' });
  expect(notification?.body).toContain('echo one');
  await press(approver.context(), 'deny');
  expect(await first.done).toMatchObject({ status: 126, stdout: '' });
  await expect.poll(() => shown(approver)).toHaveLength(0);

  const second = ask(interlock, 'echo', 'two');
  await expect.poll(() => shown(approver)).toHaveLength(1);
  await expect(approver.locator('.answers-allow .button').first()).toHaveAttribute(
    'aria-disabled',
    'false',
  );
  await press(approver.context(), 'allow-once');
  expect(await second.done).toMatchObject({ status: 0, stdout: 'two\n' });
});

test('what can do harm is allowed by no notification, whatever button is claimed', async ({
  interlock,
  approver,
}) => {
  await turnOn(approver);
  const { done } = ask(interlock, 'chmod', '-R', '777', interlock.work);
  await expect.poll(() => shown(approver)).toHaveLength(1);
  expect((await shown(approver))[0]?.body).toContain('This can do harm');
  await press(approver.context(), 'allow-once');
  await expect.poll(async () => (await shown(approver)).map(({ tag }) => tag)).toEqual(['late']);
  await expect(commandOn(approver)).toContainText('chmod');
  // Just after the press nothing is answered: a key on its way was meant for what was there before.
  await expect(async () => {
    await approver.getByRole('button', { name: /^Deny/ }).click({ timeout: 1000 });
    await expect(commandOn(approver)).toHaveCount(0, { timeout: 500 });
  }).toPass();
  expect(await done).toMatchObject({ status: 126 });
});

test('a click on a notification shows its ask, and one that is answered takes it along', async ({
  interlock,
  approver,
}) => {
  await turnOn(approver);
  await approver.getByRole('link', { name: 'Health' }).click();
  const { done } = ask(interlock, 'echo', 'look');
  await expect.poll(() => shown(approver)).toHaveLength(1);
  await press(approver.context(), '');
  await expect(commandOn(approver)).toContainText('echo look');
  await deny(approver);
  expect((await done).status).toBe(126);
  await expect.poll(() => shown(approver)).toHaveLength(0);
});

test('nothing of the worker outlives the session, and it holds no secret', async ({
  interlock,
  approver,
}) => {
  await turnOn(approver);
  const { done } = ask(interlock, 'echo', 'left');
  await expect.poll(() => shown(approver)).toHaveLength(1);
  const session = await approver.evaluate(() => sessionStorage.getItem('interlock.session'));
  const [worker] = approver.context().serviceWorkers();
  const source = await (await approver.request.get(worker?.url() ?? '')).text();
  expect(source).not.toContain(session);
  expect(source).not.toMatch(/fetch\(|onfetch|'fetch'|sessionStorage|caches|indexedDB/);
  await interlock.closeConsole();
  await done;
  await expect(approver.getByRole('alert')).toContainText('This console session has ended');
  await expect
    .poll(() =>
      approver.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length),
    )
    .toBe(0);
});
