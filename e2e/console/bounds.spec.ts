import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '../support/console.ts';

test('what the fleet has locked is shown as locked, and no door saves it looser', async ({
  interlock,
  approver,
}) => {
  const bind = async (seq: number, bounds: object): Promise<void> => {
    const policy = { seq, text: JSON.stringify({ version: 1, ...bounds }) };
    const text = JSON.stringify({ version: 1, policy, lockout: 0 });
    await writeFile(join(interlock.home, 'state', 'fleet.json'), text, { mode: 0o600 });
  };
  await bind(1, { ask: 'always' });
  await approver.getByRole('link', { name: 'Allowlist' }).click();
  await approver.getByRole('combobox', { name: 'Agent' }).selectOption('*');
  const ask = approver.getByLabel('When you are asked');
  await expect(ask).toHaveAccessibleDescription(/^Locked by the fleet of this machine/);
  await expect(ask).toBeDisabled();

  // A bound that comes while the page is open is not hidden there: the save is refused.
  const security = approver.getByLabel('What may run');
  await expect(security.locator('option[value="full"]')).toBeEnabled();
  await bind(2, { ask: 'always', security: 'allowlist' });
  await security.selectOption('full');
  await approver.getByRole('button', { name: 'Save' }).click();
  await expect(approver.getByText('"agents.*.security" cannot be "full"')).toBeVisible();
  await expect(approver.getByText('Only the gateway of the fleet changes that')).toBeVisible();
  expect((await interlock.policy()).agents?.['*']).toMatchObject({ security: 'allowlist' });

  const policy = await interlock.policy();
  const file = join(interlock.work, 'wanted.json');
  const agents = { ...policy.agents, claude: { ask: 'off' } };
  await writeFile(file, JSON.stringify({ ...policy, agents }));
  const hash = createHash('sha256')
    .update(await readFile(join(interlock.home, 'exec-approvals.json')))
    .digest('hex');
  const set = await interlock.call('approvals', 'set', '--base-hash', hash, file).done;
  expect(set.status).toBe(126);
  expect(set.stderr).toContain('"agents.claude.ask" cannot be "off"');
  expect((await interlock.policy()).agents).not.toHaveProperty('claude');
});
