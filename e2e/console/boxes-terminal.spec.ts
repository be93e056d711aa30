import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../support/console.ts';
import type { Interlock } from '../support/interlock.ts';

/** A box that runs, with one window and a shell in it. */
async function boxNamed(interlock: Interlock, name: string): Promise<void> {
  const { status } = await interlock.call('sandbox', 'status').done;
  test.skip(status !== 0, 'no sandbox can be had on this machine');
  const workspace = join(interlock.work, name);
  await mkdir(workspace);
  const up = ['up', name, '--template', 'isolated', '--workspace', workspace];
  const made = await interlock.call('box', ...up).done;
  test.skip(made.stderr.includes('/usr/bin/tmux'), 'there is no tmux on this machine');
  expect(made).toMatchObject({ status: 0 });
}

async function attach(page: Page, name: string): Promise<Locator> {
  await page.getByRole('link', { name: 'Boxes' }).click();
  await page.getByRole('button', { name: `Attach ${name}` }).click();
  return attached(page, name);
}

/** The rows of the terminal, once tmux has drawn its line for this box. */
async function attached(page: Page, name: string): Promise<Locator> {
  await expect(page.getByText('Attached. What you type goes to this box')).toBeVisible();
  const rows = page.locator('.xterm-rows');
  await expect(rows).toContainText(`[${name}]`);
  return rows;
}

/** What the record says of attaching, oldest first. */
async function recorded(interlock: Interlock): Promise<readonly string[]> {
  const { stdout } = await interlock.call('audit', 'tail', '--json').done;
  return stdout.split('\n').filter((line) => line.includes('"box-'));
}

test.afterEach(async ({ interlock }) => {
  await interlock.call('unlock', '--box', 'fix').done;
  await interlock.call('box', 'down', '--all').done;
});

test('what is typed into the terminal of a box runs in it, and what it shows is seen', async ({
  interlock,
  approver,
}) => {
  await boxNamed(interlock, 'fix');
  const rows = await attach(approver, 'fix');
  await approver.keyboard.type('echo hi-$((6*7)) in $(hostname)\n');
  await expect(rows).toContainText('hi-42 in fix');
  // Its own colour, which is a style attribute to the terminal and no violation of the policy.
  await approver.keyboard.type("printf '\\033[38;2;1;160;3mtrue\\040colour\\033[0m\\n'\n");
  const coloured = rows.locator('span', { hasText: /^true colour/u });
  await expect(coloured).toHaveCSS('color', /rgb\(\d+, 1[0-9]{2}, \d+\)/u);
  // The size is the page's, and follows it.
  const columns = async (): Promise<number> => {
    await approver.keyboard.type('clear; echo "=$(tput cols)="\n');
    await expect(rows).toContainText(/=\d+=/u);
    return Number(/=(\d+)=/u.exec((await rows.textContent()) ?? '')?.[1]);
  };
  const wide = await columns();
  await approver.setViewportSize({ width: 480, height: 720 });
  await expect.poll(columns).toBeLessThan(wide);
});

test('a page that is loaded again is at the terminal again, and two pages see the same', async ({
  interlock,
  approver,
  context,
}) => {
  await boxNamed(interlock, 'fix');
  const rows = await attach(approver, 'fix');
  await approver.keyboard.type('echo still-$((40+2))\n');
  await expect(rows).toContainText('still-42');
  await approver.reload();
  await expect(await attached(approver, 'fix')).toContainText('still-42');
  const other = await context.newPage();
  await other.goto(await interlock.anotherLink());
  const seen = await attach(other, 'fix');
  await other.keyboard.type('echo from-$((1+1))\n');
  await expect(seen).toContainText('from-2');
  await expect(rows).toContainText('from-2');
  await other.getByRole('button', { name: 'All boxes' }).click();
  await expect(other.getByRole('button', { name: 'Attach fix' })).toBeVisible();
});

test('the death of the runner ends nothing in the box, and the page attaches again', async ({
  interlock,
  approver,
}) => {
  await boxNamed(interlock, 'fix');
  const rows = await attach(approver, 'fix');
  await approver.keyboard.type('before=4; echo ready-$((1+1))\n');
  await expect(rows).toContainText('ready-2');
  await interlock.killRunner();
  await expect(approver.getByText('attaching again')).toBeVisible();
  await interlock.startRunner();
  await attached(approver, 'fix');
  await approver.keyboard.type('echo after-${before}2\n');
  await expect(rows).toContainText('after-42');
});

test('a locked box has no terminal, and who was attached is told', async ({
  interlock,
  approver,
}) => {
  await boxNamed(interlock, 'fix');
  const rows = await attach(approver, 'fix');
  await approver.keyboard.type('echo my-$((10+1))-words\n');
  await expect(rows).toContainText('my-11-words');
  await approver.getByRole('button', { name: 'Lock out… fix' }).click();
  await approver.getByRole('dialog').getByRole('button', { name: 'Lock it out' }).click();
  await expect(approver.getByText('The box was locked out.')).toBeVisible();
  await approver.getByRole('button', { name: 'Attach again' }).click();
  await expect(approver.getByText('The box "fix" is locked')).toBeVisible();
  await approver.getByRole('button', { name: 'All boxes' }).click();
  await expect(approver.getByText('Locked', { exact: true })).toBeVisible();
  await expect(approver.getByRole('button', { name: 'Attach fix' })).toHaveCount(0);
  // That somebody was there is on record, and nothing of what they typed.
  const lines = await recorded(interlock);
  expect(lines.some((line) => line.includes('box-attached'))).toBe(true);
  expect(lines.some((line) => line.includes('It was locked while a person was attached'))).toBe(
    true,
  );
  const { stdout } = await interlock.call('audit', 'tail', '--json').done;
  expect(stdout).not.toContain('my-');
});

test('the key of tmux, and the end of the box, end the terminal with a sentence', async ({
  interlock,
  approver,
}) => {
  await boxNamed(interlock, 'fix');
  await attach(approver, 'fix');
  await approver.keyboard.press('Control+b');
  await approver.keyboard.press('d');
  await expect(approver.getByText('The box goes on.')).toBeVisible();
  await approver.getByRole('button', { name: 'Attach again' }).click();
  await attached(approver, 'fix');
  expect(await interlock.call('box', 'down', 'fix').done).toMatchObject({ status: 0 });
  await expect(approver.getByText('The box was ended')).toBeVisible();
});
