import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createGrants } from '../../../runner/gate/grants.ts';
import type { Grant } from '../../../runner/gate/grants.ts';
import { keptGrants } from '../../../runner/gate/kept-grants.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { temporaryFolder } from '../hosts/support.ts';
import { ownUid } from './support.ts';

const digest = 'd'.repeat(64);
const minute = 60_000;

function machine() {
  const clock = fakeClock();
  const path = join(temporaryFolder(), 'grants.json');
  const problems: string[] = [];
  /** The grants as a runner has them that starts now. */
  const start = () => {
    const problem = (sentence: string): void => void problems.push(sentence);
    const kept = keptGrants({ path, uid: ownUid, now: () => clock.now(), problem });
    return createGrants(() => clock.now(), { elapsed: () => clock.elapsed(), kept });
  };
  const granted = (more: Partial<Grant> = {}): Grant => ({
    agent: 'claude',
    session: null,
    grantedAt: clock.now(),
    expiresAt: clock.now() + 15 * minute,
    covers: { kind: 'command', digest },
    ...more,
  });
  return { clock, path, problems, start, granted };
}

test('what was granted for 15 minutes outlives a restart of the runner, and ends when it should', () => {
  const { clock, path, start, granted } = machine();
  start().add(granted());
  expect(statSync(path).mode & 0o777).toBe(0o600);
  clock.advance(14 * minute);
  expect(start().covers('claude', 's1', digest)).toBe(true);
  expect(start().covers('codex', 's1', digest)).toBe(false);
  clock.advance(minute);
  expect(start().covers('claude', 's1', digest)).toBe(false);
});

test('rules come back as they were given', () => {
  const { start, granted } = machine();
  const rules = [{ id: 'r', pattern: '/usr/bin/touch', args: ['x'], source: 'grant' }];
  start().add(granted({ covers: { kind: 'rules', rules } }));
  expect(start().rules('claude', null)).toEqual(rules);
});

test('what holds for a session or until the restart is not kept', () => {
  const { start, granted, path } = machine();
  const grants = start();
  grants.add(granted({ session: 's1' }));
  grants.add(granted({ expiresAt: null }));
  expect(grants.covers('claude', 's1', digest)).toBe(true);
  expect(start().covers('claude', 's1', digest)).toBe(false);
  expect(readFileSync(path, 'utf8')).not.toContain(digest);
});

test('a clock that is set back gives nobody more time, running or started again', () => {
  const { clock, start, granted } = machine();
  const grants = start();
  grants.add(granted());
  clock.jump(-60 * minute);
  clock.advance(15 * minute);
  expect(grants.covers('claude', null, digest)).toBe(false);
  expect(start().covers('claude', null, digest)).toBe(false);
});

test('a lockout ends them for good', () => {
  const { start, granted } = machine();
  const grants = start();
  grants.add(granted());
  grants.clear();
  expect(start().covers('claude', null, digest)).toBe(false);
});

test.each([
  ['others can use it', (path: string) => chmodSync(path, 0o644)],
  ['it is not JSON', (path: string) => writeFileSync(path, '{')],
  [
    'it has a field that is not known',
    (path: string) => writeFileSync(path, '{"version":1,"grants":[],"more":1}'),
  ],
])('a file that is not to be believed grants nothing, and is told: %s', (_why, spoil) => {
  const { path, problems, start, granted } = machine();
  start().add(granted());
  spoil(path);
  expect(start().covers('claude', null, digest)).toBe(false);
  expect(problems).toEqual([expect.stringContaining(path)]);
});

test('no file can grant for longer than a person could', () => {
  const { clock, start, granted } = machine();
  start().add(granted({ expiresAt: clock.now() + 60 * minute }));
  expect(start().covers('claude', null, digest)).toBe(false);
});

test('a grant is listed until it ends or is taken back, and one taken back stays so after a restart', () => {
  const { clock, start, granted } = machine();
  const grants = start();
  grants.add(granted());
  grants.add(granted({ agent: 'codex', expiresAt: null }));
  const [newest, oldest] = grants.list();
  expect(newest?.grant.agent).toBe('codex');
  expect(grants.end('unknown')).toBe(false);
  expect(grants.end(oldest?.id ?? '')).toBe(true);
  expect(grants.end(oldest?.id ?? '')).toBe(false);
  expect(grants.covers('claude', null, digest)).toBe(false);
  expect(start().list()).toEqual([]);
  grants.add(granted());
  clock.advance(15 * minute);
  expect(grants.list().map(({ grant }) => grant.agent)).toEqual(['codex']);
});

test('the text of a granted command is in no file', () => {
  const { path, start, granted } = machine();
  const grants = start();
  grants.add(granted({ covers: { kind: 'command', digest, command: 'login --token s3cret' } }));
  expect(JSON.stringify(grants.list())).toContain('s3cret');
  expect(readFileSync(path, 'utf8')).not.toContain('s3cret');
  expect(start().covers('claude', null, digest)).toBe(true);
});
