import { lstatSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { configOf, systemWorld, whyNotHere } from './system-support.ts';

const whyNot = whyNotHere();
if (whyNot !== null)
  process.stderr.write(`NOT TESTED: a runner with a user of its own, because ${whyNot}.\n`);

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });
const modeOf = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);

describe.skipIf(whyNot !== null)('a runner with a user of its own', () => {
  it('serves whom it was installed for, and tells everybody else why not', async () => {
    const world = systemWorld();
    const { names } = world;
    const alice = world.user('a', false);
    await world.service.install([alice]);
    // In the group, and yet nobody has named her.
    const mallory = world.user('m', true);
    const stranger = world.user('s', false);

    expect(modeOf(names.folder)).toBe('700');
    expect(lstatSync(names.folder).uid).toBe(world.uidOf(names.account));
    expect(configOf(world)).toMatchObject({
      users: [{ uid: world.uidOf(alice), agents: ['*'] }],
      service: { sharedSocket: { path: names.socket } },
    });
    expect(readFileSync(names.unitFile, 'utf8')).toContain(`User=${names.account}\n`);
    expect(world.systemctl).toContain('enable --now interlock-runner.service');

    const runner = await world.start();
    expect(modeOf(names.socket)).toBe('660');
    expect(modeOf(dirname(names.socket))).toBe('750');
    expect(world.asOwner('approvals', 'allow', '--', 'id', '-u').status).toBe(0);

    const ran = world.asGuest(alice, 'run', '--', 'id', '-u');
    expect(ran).toMatchObject({ status: 0, err: '' });
    expect(ran.out.trim()).toBe(String(world.uidOf(names.account)));

    const refused = world.asGuest(mallory, 'run', '--', 'id', '-u');
    expect(refused.status).toBe(126);
    expect(refused.err).toContain('hmac-fail');
    expect(refused.err).toContain(`User ${world.uidOf(mallory)} may not use this runner.`);

    const outside = world.asGuest(stranger, 'run', '--', 'id', '-u');
    expect(outside.status).toBe(125);
    expect(outside.err).toContain('may not open');

    for (const args of [['resume'], ['pending']]) {
      const kept = world.asGuest(alice, ...args);
      expect(kept.status).toBe(126);
      expect(kept.err).toContain('Only the user of the runner may do this.');
    }
    expect(world.asOwner('audit', 'search', '--json').out).toContain(
      `"uid": ${world.uidOf(alice)}`,
    );

    expect(world.asGuest(alice, 'lockout', '--reason', 'enough').out).toContain('Locked.');
    expect(world.asGuest(alice, 'run', '--', 'id', '-u').err).toContain('lockout-active');
    expect(world.asOwner('status').out).toContain('enough');
    expect(await runner.stop()).toBe(0);
    expect(runner.log()).toContain(`User ${world.uidOf(mallory)} knocked`);
  });

  it('is installed twice without harm, and removed without its policy and log', async () => {
    const world = systemWorld();
    const alice = world.user('a', false);
    const bob = world.user('b', false);
    await world.service.install([alice]);
    const unit = readFileSync(world.names.unitFile, 'utf8');
    await world.service.install([alice, bob]);
    expect(readFileSync(world.names.unitFile, 'utf8')).toBe(unit);
    expect(configOf(world)).toMatchObject({
      users: [{ uid: world.uidOf(alice) }, { uid: world.uidOf(bob) }],
    });
    expect(await world.service.status()).toContainEqual(
      `open to    ${alice} (${world.uidOf(alice)}), ${bob} (${world.uidOf(bob)})`,
    );
    await world.service.uninstall();
    expect(await world.service.status()).toEqual(['not installed']);
    expect(configOf(world)).toMatchObject({ version: 1 });
    expect(await world.service.uninstall()).toEqual([
      'The service is not installed; nothing was changed.',
    ]);
  });
});
