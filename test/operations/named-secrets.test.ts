import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openHome, readConfigFile } from '../../shared/home/index.ts';
import type { Home } from '../../shared/home/index.ts';
import { listSecrets } from '../../shared/operations/index.ts';

let folder: string;
let home: Home;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'il-secrets-'));
  const env = { INTERLOCK_HOME: join(folder, 'home'), HOME: folder };
  home = openHome(env);
  mkdirSync(join(home.home, 'keys'), { recursive: true, mode: 0o700 });
  mkdirSync(home.toolsDirectory, { recursive: true, mode: 0o700 });
});

afterEach(() => rmSync(folder, { recursive: true }));

it('secrets are listed with each use that settings have for them, also those that are missing', async () => {
  const egress = {
    transforms: [{ host: 'api.example.org', set: { authorization: { secret: 'example' } } }],
    services: [
      { name: 'model', base: 'https://model.example.org', secret: 'model', header: 'x-key' },
    ],
  };
  const network = { version: 1, egress, agents: { claude: { egress } } };
  writeFileSync(home.config, JSON.stringify(network), { mode: 0o600 });
  const secrets = await home.openNamedSecrets();
  await secrets.set('example', Buffer.from('a-value-of-one'));
  await secrets.set('anthropic', Buffer.from('a-value-of-two'));
  await secrets.set('unused', Buffer.from('a-value-of-three'));
  await secrets.used(['example'], 'curl');
  expect(readConfigFile(home.config, { uid: home.uid })).toMatchObject({ ok: true });
  const listed = await listSecrets(home);
  const found = Object.fromEntries(listed.secrets.map((one) => [one.name, one]));
  expect(Object.keys(found)).toEqual(['anthropic', 'example', 'model', 'unused']);
  expect(found['example']).toMatchObject({
    uses: [{ kind: 'header', of: 'api.example.org' }],
    lastUsedBy: 'curl',
  });
  expect(found['anthropic']?.uses).toEqual([{ kind: 'agent', of: 'claude' }]);
  expect(found['model']).toMatchObject({
    keptAt: null,
    lastUsedAt: null,
    uses: [{ kind: 'service', of: 'model' }],
  });
  expect(found['unused']?.uses).toEqual([]);
  expect(JSON.stringify(listed)).not.toContain('a-value');
});

it('a secret that a tool also works without is missed by nobody, and listed where it is kept', async () => {
  const policy = [
    'version: 1',
    'tool: aws',
    'folder: private',
    'credentials:',
    '  - { secret: must, variable: A }',
    '  - { secret: may, variable: B, optional: true }',
    'allow: [{ args: [sts] }]',
    'confirm: []',
  ].join('\n');
  writeFileSync(join(home.toolsDirectory, 'aws.yaml'), policy, { mode: 0o600 });
  const named = async () => (await listSecrets(home)).secrets.map(({ name }) => name);
  expect(await named()).toEqual(['must']);
  await (await home.openNamedSecrets()).set('may', Buffer.from('a-value-of-one'));
  expect(await named()).toEqual(['may', 'must']);
});
