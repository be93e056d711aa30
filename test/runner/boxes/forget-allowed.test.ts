import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { forgetAllowed } from '../../../runner/cli/box/open.ts';
import type { PolicyDocument, Rule } from '../../../shared/engine/index.ts';
import { cli, temporaryHome, testIo } from '../cli/support.ts';

async function withRules() {
  const place = temporaryHome();
  onTestFinished(() => place.remove());
  await cli({ home: place.home }, 'init', '--host', 'gateway');
  const path = join(place.home, 'exec-approvals.json');
  const read = (): PolicyDocument => JSON.parse(readFileSync(path, 'utf8')) as PolicyDocument;
  const egress = (id: string, more: Partial<Rule>): Rule => ({
    id,
    kind: 'egress',
    pattern: `${id}.example`,
    createdAt: 1,
    ...more,
  });
  const rules = [
    egress('picked', { effect: 'allow', source: 'allow-always' }),
    egress('plain', { source: 'allow-always' }),
    egress('never', { effect: 'deny', source: 'deny-always' }),
    egress('written', { effect: 'allow', source: 'cli' }),
  ];
  writeFileSync(
    path,
    JSON.stringify({
      ...read(),
      agents: { 'box-fix': { allowlist: rules }, 'box-fix-2': { allowlist: rules } },
    }),
  );
  const idsOf = (agent: string): readonly string[] =>
    (read().agents?.[agent]?.allowlist ?? []).map(({ id }) => id);
  return { io: testIo({ home: place.home }).io, path, idsOf, read };
}

it('what "always" allowed to a box is not there for the next one of its name, and all else is', async () => {
  const { io, idsOf } = await withRules();
  await forgetAllowed(io, 'box-fix');
  expect(idsOf('box-fix')).toEqual(['never', 'written']);
  expect(idsOf('box-fix-2')).toEqual(['picked', 'plain', 'never', 'written']);
});

it('a policy without such rules is not written anew', async () => {
  const { io, path } = await withRules();
  const before = readFileSync(path, 'utf8');
  await forgetAllowed(io, 'box-other');
  await forgetAllowed(io, 'constructor');
  expect(readFileSync(path, 'utf8')).toBe(before);
});

it('a policy that cannot be read is no reason to go on', async () => {
  const { io, path } = await withRules();
  writeFileSync(path, '{');
  await expect(forgetAllowed(io, 'box-fix')).rejects.toThrow('config-invalid');
});
