import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createConfigStore } from '../../../runner/service/policy-store.ts';
import { createPolicyStore } from '../../../runner/service/policy-store.ts';
import { saveRules } from '../../../runner/service/policy-edits.ts';
import { createRuleUsage } from '../../../runner/service/policy-edits.ts';
import { defaultConfig } from '../../../shared/engine/config.ts';
import { createEngine } from '../../../shared/engine/engine.ts';
import { openMachine } from '../../../shared/home/machine.ts';
import { writePolicyFile } from '../../../shared/home/policy-file.ts';
import type { PolicyDocument, Rule } from '../../../shared/engine/policy/types.ts';
import { temporaryFolder } from '../hosts/support.ts';
import { fakeClock } from '../../support/fake-clock.ts';

const uid = process.getuid?.() ?? -1;
const git: Rule = { id: 'git', pattern: '/usr/bin/git', args: ['status'] };
const first: PolicyDocument = { version: 1, agents: { claude: { allowlist: [git] } } };

async function setUp() {
  const clock = fakeClock();
  const path = join(temporaryFolder(), 'policy.json');
  await writePolicyFile(path, first, { uid, baseHash: null });
  const store = createPolicyStore({ path, uid, clock });
  onTestFinished(() => store.dispose());
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const usage = createRuleUsage({ path, uid, store, clock, log });
  const write = async (document: PolicyDocument): Promise<unknown> =>
    writePolicyFile(path, document, { uid, baseHash: store.current().hash });
  return { clock, path, store, usage, write };
}

const rulesOf = (document: PolicyDocument): readonly Rule[] =>
  document.agents?.['claude']?.allowlist ?? [];

test('a change of the file holds for the very next question', async () => {
  const { store, write } = await setUp();
  await write({ version: 1, defaults: { security: 'full' } });
  expect(store.document()).toMatchObject({ defaults: { security: 'full' } });
});

test('who listens hears of a change that nobody asked about', async () => {
  const { store, write } = await setUp();
  const heard = new Promise((resolve) => store.onChange(() => resolve(store.current())));
  await write({ version: 1 });
  expect(await heard).toMatchObject({ ok: true, document: { version: 1 } });
  expect(rulesOf(store.document())).toEqual([]);
});

test.each([
  ['broken JSON', (path: string) => writeFileSync(path, '{')],
  ['a loose mode', (path: string) => chmodSync(path, 0o644)],
])('%s closes everything, and mending it opens it again', async (_name, spoil) => {
  const { store, path } = await setUp();
  const good = readFileSync(path, 'utf8');
  spoil(path);
  expect(() => store.document()).toThrow(/^config-invalid/);
  chmodSync(path, 0o600);
  writeFileSync(path, good);
  expect(store.document()).toMatchObject({ version: 1 });
});

test('rules are added to whatever the file holds by then, in every order of writers', async () => {
  const { store, path } = await setUp();
  const engine = createEngine(openMachine(process.env, uid), () => defaultConfig);
  const rule = (id: string): Rule => ({ id, pattern: `/usr/bin/${id}` });
  await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (id) =>
      saveRules({ path, uid, store, engine }, 'claude', [rule(id)]),
    ),
  );
  expect(
    rulesOf(store.document())
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(['a', 'b', 'c', 'd', 'git']);
});

test('the use of a rule is written rarely, and once for many uses', async () => {
  const { store, usage, clock } = await setUp();
  const before = store.current().hash;
  for (let at = 1; at <= 1_000; at += 1)
    usage.used({ ruleId: 'git', at, command: 'git status', resolvedPath: '/usr/bin/git' });
  expect(store.current().hash).toBe(before);
  clock.advance(5 * 60_000);
  await expect.poll(() => rulesOf(store.document())[0]?.lastUsedAt).toBe(1_000);
  expect(rulesOf(store.document())[0]).toEqual({
    ...git,
    lastUsedAt: 1_000,
    uses: 1_000,
    lastUsedCommand: 'git status',
    lastResolvedPath: '/usr/bin/git',
  });
});

test('noting uses takes nothing back that others have changed, and brings no rule back', async () => {
  const { store, usage, write } = await setUp();
  usage.used({ ruleId: 'git', at: 5, command: 'git status', resolvedPath: null });
  usage.used({ ruleId: 'gone', at: 5, command: 'x', resolvedPath: null });
  const edited = { ...git, note: 'mine' };
  await write({ version: 1, agents: { claude: { security: 'full', allowlist: [edited] } } });
  await usage.flush();
  expect(store.document().agents?.['claude']).toEqual({
    security: 'full',
    allowlist: [{ ...edited, lastUsedAt: 5, uses: 1, lastUsedCommand: 'git status' }],
  });
});

test('uses are added up over writes, those during a write too', async () => {
  const { store, usage } = await setUp();
  const use = (at: number): void =>
    usage.used({ ruleId: 'git', at, command: 'git status', resolvedPath: null });
  use(1);
  const writing = usage.flush();
  use(2);
  await writing;
  await usage.flush();
  expect(rulesOf(store.document())[0]).toMatchObject({ uses: 2, lastUsedAt: 2 });
});

test('a file that is not valid is never written to', async () => {
  const { usage, path } = await setUp();
  usage.used({ ruleId: 'git', at: 5, command: 'git status', resolvedPath: null });
  writeFileSync(path, '{');
  await usage.flush();
  expect(readFileSync(path, 'utf8')).toBe('{');
});

test('config.json: defaults without a file, its values with one, closed when it is wrong', () => {
  const path = join(temporaryFolder(), 'config.json');
  const store = createConfigStore(path, uid);
  expect(store.current().exec.host).toBe('gateway');
  writeFileSync(path, '{"version": 1, "exec": {"timeoutMs": 1234}}', { mode: 0o600 });
  expect(store.current().exec.timeoutMs).toBe(1234);
  writeFileSync(path, '{"version": 1, "exce": {}}');
  expect(() => store.current()).toThrow(/^config-invalid/);
  expect(store.problem()?.message).toContain('exce');
});

test('a home that others can use by now allows nothing, and says so until it is mended', async () => {
  const { clock, path } = await setUp();
  const home = dirname(path);
  chmodSync(home, 0o700);
  const store = createPolicyStore({ path, home, uid, clock });
  onTestFinished(() => store.dispose());
  let heard = 0;
  store.onChange(() => (heard += 1));
  expect(store.current().ok).toBe(true);
  chmodSync(home, 0o750);
  expect(() => store.document()).toThrow('can be used by others (mode 750)');
  expect(heard).toBe(1);
  chmodSync(home, 0o700);
  expect(store.document().version).toBe(1);
});
