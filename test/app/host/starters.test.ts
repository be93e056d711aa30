import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeHome } from '../../runner/service/support.ts';
import { startHost } from './support.ts';

/** A host with no runner, and a project in the home of its person. */
async function startAlone() {
  const paths = await makeHome();
  const person = realpathSync(mkdtempSync(join(tmpdir(), 'starters-')));
  onTestFinished(() => rmSync(person, { recursive: true }));
  const project = join(person, 'app');
  mkdirSync(project);
  return { project, ...(await startHost(paths.home, person)) };
}

test('a set is shown with what it would cover, then used, and the first steps have one less to do', async () => {
  const { project, call } = await startAlone();
  const todo = async () =>
    (await call('guide', {})).steps.filter(({ done }) => !done).map(({ step }) => step);
  expect(await todo()).toContain('starter');

  const wish = { set: 'project', agent: '*', folder: '~/app' };
  const { folder, updates, covers } = await call('starter', wish);
  expect(folder).toBe(project);
  expect(updates.map(({ set }) => set)).toEqual(['look-around', 'project']);
  expect(covers.from).toBe('sample');
  expect(covers.covered).toBeGreaterThan(15);
  expect(covers.covered + covers.left.length).toBe(covers.looked);
  for (const line of ['git push', 'cat .env', 'rm -rf dist']) expect(covers.left).toContain(line);

  const added = updates.reduce((sum, update) => sum + update.added.length, 0);
  expect(await call('addStarter', wish)).toEqual({ rules: added });
  expect(await todo()).not.toContain('starter');
  expect(await call('addStarter', wish)).toEqual({ rules: 0 });
  const tested = { agent: 'claude', command: 'ls', cwd: project };
  expect((await call('testCommand', tested)).verdict).toBe('allow');
});

test.each(['/', '~/', '~/nowhere'])('no set is bound to %s', async (folder) => {
  const { host, call } = await startAlone();
  const before = await call('policy', {});
  for (const name of ['starter', 'addStarter'])
    expect(await host.handle(name, { set: 'project', agent: '*', folder })).toMatchObject({
      ok: false,
      refusal: { code: 'invalid-request' },
    });
  expect(await call('policy', {})).toEqual(before);
});

test('a lockout before there is a passphrase says that the way out is at a terminal', async () => {
  const { host, call } = await startAlone();
  let wayOut: string | undefined;
  onTestFinished(host.subscribe((state) => (wayOut = state.wayOut)));
  expect(wayOut).toBeUndefined();
  await call('lockout', { reason: 'a test' });
  await expect.poll(() => wayOut).toBe('terminal');
});
