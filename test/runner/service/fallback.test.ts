import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentPolicy } from '../../../shared/engine/policy/types.ts';
import {
  endOf,
  exec,
  launchRunner,
  makeHome,
  startApprover,
  startRunnerProcess,
} from './support.ts';

const tool = { id: 'r1', pattern: '/**/touch' };

test.each<readonly [string, AgentPolicy, string]>([
  ['deny', { ask: 'always', askFallback: 'deny', allowlist: [tool] }, 'approver-unavailable'],
  [
    'allowlist, with a rule',
    { ask: 'always', askFallback: 'allowlist', allowlist: [tool] },
    'exit 0',
  ],
  ['allowlist, without a rule', { askFallback: 'allowlist' }, 'approver-unavailable'],
  ['full', { security: 'full', ask: 'always', askFallback: 'full' }, 'exit 0'],
  ['full, under a stricter security', { askFallback: 'full' }, 'approver-unavailable'],
])('with no approver, askFallback decides: %s', async (_name, wildcard, end) => {
  const paths = await makeHome(wildcard);
  await startRunnerProcess(paths);
  const file = join(paths.home, '..', 'made');
  expect(endOf(await exec(paths, { argv: ['touch', file] }).done)).toBe(end);
  expect(existsSync(file)).toBe(end === 'exit 0');
});

test('an approver that comes later is found, and one that went is missed', async () => {
  const paths = await makeHome();
  const runner = await startRunnerProcess(paths);
  const request = { argv: ['touch', join(paths.home, '..', 'x')] };
  expect(endOf(await exec(paths, request).done)).toBe('approver-unavailable');
  const approver = await startApprover(paths);
  await runner.says('The approver is connected.');
  expect(await approver.next('state')).toMatchObject({ state: { mode: 'armed', running: 0 } });
  await approver.leave();
  await runner.says('The approver is gone');
  expect(endOf(await exec(paths, request).done)).toBe('approver-unavailable');
});

test('a second runner leaves the first unharmed and says so', async () => {
  const paths = await makeHome({ security: 'full', ask: 'off' });
  await startRunnerProcess(paths);
  const second = launchRunner(paths);
  expect(await second.ended).toEqual({ code: 125, signal: null });
  expect(second.stderr()).toContain(`A runner is already at work on ${paths.runnerSocket}.`);
  expect(endOf(await exec(paths, { argv: ['true'] }).done)).toBe('exit 0');
});

test('without a home the runner says what to do', async () => {
  const paths = await makeHome();
  const nowhere = { ...paths, home: `${paths.home}-none` };
  const runner = launchRunner(nowhere);
  expect((await runner.ended).code).toBe(125);
  expect(runner.stderr()).toContain('Run "interlock init" first.');
  expect(existsSync(nowhere.home)).toBe(false);
});

test('a policy file that is not valid denies everything until it is mended, and is left as it is', async () => {
  const paths = await makeHome({ security: 'full', ask: 'off' });
  await startRunnerProcess(paths);
  const good = readFileSync(paths.policy, 'utf8');
  writeFileSync(paths.policy, '{"version": 1, ');
  expect(endOf(await exec(paths, { argv: ['true'] }).done)).toBe('config-invalid');
  expect(readFileSync(paths.policy, 'utf8')).toBe('{"version": 1, ');
  writeFileSync(paths.policy, good);
  expect(endOf(await exec(paths, { argv: ['true'] }).done)).toBe('exit 0');
});

test('a config file that is not valid denies everything', async () => {
  const paths = await makeHome({ security: 'full', ask: 'off' });
  await startRunnerProcess(paths);
  writeFileSync(paths.config, '{"version": 1, "surprise": true}', { mode: 0o600 });
  expect(endOf(await exec(paths, { argv: ['true'] }).done)).toBe('config-invalid');
});
