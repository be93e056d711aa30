import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HealthCheck } from '../../../shared/wire/health.ts';
import { findElectron, hasDisplay } from '../../../shared/operations/health/probes.ts';
import { socketState } from '../../../shared/operations/health/probes.ts';
import { leaveStaleSocket } from './stale-socket.ts';
import { cli, temporaryHome } from '../../runner/cli/support.ts';

let place: ReturnType<typeof temporaryHome>;
beforeEach(async () => {
  place = temporaryHome();
  await cli({ home: place.home }, 'init');
});
afterEach(() => place.remove());

async function doctor(...args: readonly string[]) {
  const result = await cli({ home: place.home }, 'doctor', '--json', ...args);
  const body = JSON.parse(result.out) as { ok: boolean; checks: readonly HealthCheck[] };
  return {
    ...result,
    ...body,
    levelOf: (id: string) => body.checks.find((check) => check.id === id)?.level,
  };
}

describe('interlock doctor', () => {
  it('finds a fresh home well on this machine, and says plainly what does not hold', async () => {
    const { ok, exitCode, checks, levelOf } = await doctor();
    expect(checks.filter(({ level }) => level === 'danger')).toEqual([]);
    expect({ ok, exitCode }).toEqual({ ok: true, exitCode: 0 });
    expect(levelOf('isolation')).toBe('warning');
    expect(levelOf('runner')).toBe('warning');
    expect(levelOf('peer-credentials')).toBe('ok');
    expect(levelOf('grammar')).toBe('ok');
  });

  it('finds loose modes, and mends them when told to', async () => {
    const policy = join(place.home, 'exec-approvals.json');
    chmodSync(policy, 0o644);
    chmodSync(join(place.home, 'audit'), 0o755);
    const before = await doctor();
    expect(before).toMatchObject({ ok: false, exitCode: 1 });
    expect(before.levelOf('file-modes')).toBe('danger');
    expect(statSync(policy).mode & 0o777).toBe(0o644);
    const after = await doctor('--mend', 'file-modes');
    expect(after.levelOf('file-modes')).toBe('ok');
    expect(statSync(policy).mode & 0o777).toBe(0o600);
    expect(statSync(join(place.home, 'audit')).mode & 0o777).toBe(0o700);
  });

  it('mends sockets that were left behind, and only those', async () => {
    const stale = join(place.home, 'exec-approvals.sock');
    const live = join(place.home, 'runner.sock');
    leaveStaleSocket(stale);
    const server = createServer().listen(live);
    await once(server, 'listening');
    chmodSync(live, 0o600);
    try {
      expect((await doctor()).levelOf('sockets')).toBe('warning');
      const after = await doctor('--mend', 'sockets');
      expect(after.levelOf('sockets')).toBe('ok');
      expect([existsSync(stale), existsSync(live)]).toEqual([false, true]);
    } finally {
      server.close();
      await once(server, 'close');
    }
  });

  it('says in one line that nothing is set up, or that the runner of the machine is used', async () => {
    const home = join(place.folder, 'none');
    const bare = await cli({ home }, 'doctor');
    expect(bare.exitCode).toBe(1);
    expect(bare.out.split('\n').filter((line) => /^\S/u.test(line))).toEqual([
      'DANGER   Interlock is not set up here',
    ]);
    const guest = await cli({ home, env: { INTERLOCK_SOCKET: '/run/x' } }, 'doctor');
    expect(guest.exitCode).toBe(0);
    expect(guest.out).toContain('You use the runner of this machine');
  });

  it('covers the service, the record, the limits and the keys', async () => {
    const ids = (await doctor()).checks.map(({ id }) => id);
    for (const id of ['service', 'audit', 'limits', 'keys', 'passphrase', 'stop', 'sockets'])
      expect(ids).toContain(id);
    writeFileSync(join(place.home, 'state', 'limits.json'), '{}', { mode: 0o600 });
    writeFileSync(join(place.home, 'keys', 'agents.json'), '[]', { mode: 0o600 });
    const after = await doctor();
    expect(after.levelOf('limits')).toBe('warning');
    expect(after.levelOf('keys')).toBe('danger');
  });

  it('says that a lock by logind is wanted and will not come', async () => {
    writeFileSync(
      join(place.home, 'config.json'),
      JSON.stringify({ version: 1, lockout: { onSleep: true } }),
      { mode: 0o600 },
    );
    const env = { DBUS_SYSTEM_BUS_ADDRESS: `unix:path=${place.folder}/no-bus` };
    const { out } = await cli({ home: place.home, env }, 'doctor', '--json');
    const { checks } = JSON.parse(out) as { checks: readonly HealthCheck[] };
    const level = process.platform === 'linux' ? 'danger' : undefined;
    expect(checks.find(({ id }) => id === 'logind')?.level).toBe(level);
  });

  it('refuses to mend what only a person can', async () => {
    const { exitCode, err } = await cli({ home: place.home }, 'doctor', '--mend', 'isolation');
    expect(exitCode).toBe(126);
    expect(err).toContain('file-modes, sockets');
  });
});

describe('what is at the path of a socket', () => {
  it('is told apart', async () => {
    const path = join(place.folder, 'x.sock');
    expect(await socketState(path)).toBe('absent');
    leaveStaleSocket(path);
    expect(await socketState(path)).toBe('stale');
    const folder = join(place.folder, 'folder');
    mkdirSync(folder);
    expect(await socketState(folder)).toBe('not-a-socket');
  });
});

describe('the Electron binary', () => {
  it('is the one that ELECTRON_PATH names, or none when that is missing', () => {
    const packageRoot = place.folder;
    expect(findElectron({ packageRoot, env: { ELECTRON_PATH: process.execPath } })).toBe(
      process.execPath,
    );
    expect(
      findElectron({ packageRoot, env: { ELECTRON_PATH: join(packageRoot, 'none') } }),
    ).toBeNull();
    expect(findElectron({ packageRoot, env: {} })).toBeNull();
  });

  it.each([
    ['linux', {}, false],
    ['linux', { DISPLAY: '' }, false],
    ['linux', { DISPLAY: ':0' }, true],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
    ['darwin', {}, true],
  ] as const)('has a display on %s with %j: %s', (platform, env, expected) => {
    expect(hasDisplay(env, platform)).toBe(expected);
  });
});
