import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Rejection } from '../../../runner/nodes/talk.ts';
import { createTroubles } from '../../../runner/nodes/troubles.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { pairedHomes } from '../../support/nodes-home.ts';
import { until } from '../../support/servers.ts';

const id = 'a'.repeat(64);
const well = { id, version: '1.2.3', policyHash: 'f'.repeat(64), lastSeenAt: 1 };

it('finds nothing wrong with a node that is as it should be', () => {
  const troubles = createTroubles(fakeClock(), '1.2.3');
  for (const version of ['1.2.3', '1.2.3+asks', '1.3.0', '2.0.0', '1.10.0', 'unknown', '1'])
    expect(troubles.of({ ...well, version })).toEqual([]);
});

it.each(['1.2.2', '1.1.9', '0.9.9', '0.10.4+x'])('calls %s older than 1.2.3', (version) => {
  const troubles = createTroubles(fakeClock(), '1.2.3');
  expect(troubles.of({ ...well, version })).toMatchObject([{ code: 'older', at: null }]);
});

it('tells of a node without a policy, of refusals and of bad ends, until the node is there again', () => {
  const clock = fakeClock();
  const troubles = createTroubles(clock, '1.2.3');
  const codes = () => troubles.of(well).map(({ code }) => code);
  expect(troubles.of({ ...well, policyHash: null })).toMatchObject([{ code: 'no-policy' }]);
  expect(troubles.of({ ...well, policyHash: null, lastSeenAt: null })).toEqual([]);
  troubles.refused(id, new Rejection('lost', 'x'));
  troubles.refused(id, new Error('x'));
  troubles.ended(id, { code: 'lost', detail: 'x' });
  troubles.ended(id, { code: 'closed-here', detail: 'x' });
  expect(codes()).toEqual([]);
  troubles.refused(id, new Rejection('unproven', 'x'));
  expect(troubles.of(well)).toMatchObject([{ code: 'not-proven', at: clock.now() }]);
  troubles.refused(id, new Rejection('busy', 'x'));
  expect(codes()).toEqual(['too-often']);
  troubles.ended(id, { code: 'bad-frame', detail: 'no\u001B[2J frame' });
  const [told] = troubles.of(well);
  expect(told?.code).toBe('ended-badly');
  expect(told?.message).not.toContain('\u001B');
  expect(troubles.of({ ...well, id: 'b'.repeat(64) })).toEqual([]);
  troubles.came(id);
  expect(codes()).toEqual([]);
});

it('shows that somebody came under the id of a node with a token that is not its own', async () => {
  const { desk, build } = await pairedHomes();
  const right = readFileSync(build.paths.nodeFile, 'utf8');
  const wrong = right.replace(/"token": "[^"]+"/u, `"token": "${'T'.repeat(43)}"`);
  const codes = () => (desk.nodes.body().nodes[0]?.problems ?? []).map(({ code }) => code);
  writeFileSync(build.paths.nodeFile, wrong, { mode: 0o600 });
  await build.nodes.apply();
  await until(() => codes().length === 1);
  expect(codes()).toEqual(['not-proven']);
  writeFileSync(build.paths.nodeFile, right, { mode: 0o600 });
  await build.nodes.apply();
  await until(() => desk.nodes.body().nodes[0]?.online === true);
  expect(codes()).toEqual([]);
});
