import {
  chmodSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { homePaths } from '../../../shared/home/paths.ts';
import { readPolicyFile } from '../../../shared/home/policy-file.ts';
import { readStopState } from '../../../shared/home/stop-state.ts';
import { cli, temporaryHome } from './support.ts';
import { whyNot } from '../hosts/sandbox/support.ts';

let place: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  place = temporaryHome();
});
afterEach(() => place.remove());

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('interlock init', () => {
  it('makes a home that is ours alone', async () => {
    const { exitCode, out } = await cli({ home: place.home }, 'init');
    expect(exitCode).toBe(0);
    expect(out).toContain(`${place.home} is ready`);
    expect(modeOf(place.home)).toBe('700');
    const below = readdirSync(place.home, { recursive: true, encoding: 'utf8' });
    for (const name of below) {
      const path = join(place.home, name);
      expect([name, modeOf(path)]).toEqual([name, statSync(path).isDirectory() ? '700' : '600']);
    }
  });

  it('has commands run in the sandbox where there is one, says so, and takes a no', async () => {
    const { config } = homePaths({ INTERLOCK_HOME: place.home });
    const { out } = await cli({ home: place.home }, 'init');
    const { exec } = JSON.parse(readFileSync(config, 'utf8')) as { exec: { host: string } };
    expect(exec.host).toBe(whyNot === null ? 'auto' : 'gateway');
    expect(out).toContain(whyNot === null ? '--host gateway says no' : 'no sandbox can be had');
    await cli({ home: place.home }, 'init', '--host', 'gateway');
    expect(readFileSync(config, 'utf8')).toContain(`"host": "${exec.host}"`);
    const other = `${place.home}-2`;
    await cli({ home: other }, 'init', '--host', 'gateway');
    const second = homePaths({ INTERLOCK_HOME: other }).config;
    expect(readFileSync(second, 'utf8')).toContain('"host": "gateway"');
  });

  it('writes a first policy that asks, and denies when nobody can be asked', async () => {
    await cli({ home: place.home }, 'init');
    const paths = homePaths({ INTERLOCK_HOME: place.home });
    const file = readPolicyFile(paths.policy, { uid: process.getuid?.() ?? -1 });
    expect(file).toMatchObject({
      ok: true,
      document: {
        version: 1,
        socket: { path: paths.approvalsSocket },
        agents: { '*': { security: 'allowlist', ask: 'on-miss', askFallback: 'deny' } },
      },
    });
    const token = file.ok ? (file.document.socket?.token ?? '') : '';
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(readStopState(paths)).toEqual({ mode: 'armed', reason: null });
  });

  it('refuses a home too long for its sockets, and makes nothing', async () => {
    const longest = 103 - '/exec-approvals.sock'.length;
    const fits = join(place.folder, 'h'.repeat(longest - place.folder.length - 1));
    expect((await cli({ home: fits }, 'init')).exitCode).toBe(0);
    const home = `${fits}h`;
    const { exitCode, err } = await cli({ home }, 'init');
    expect(exitCode).toBe(126);
    expect(err).toMatch(
      /config-invalid: The path of this home is too long: .*\n {2}Set INTERLOCK_HOME/u,
    );
    expect(existsSync(home)).toBe(false);
  });

  it('never tells the token', async () => {
    const { out } = await cli({ home: place.home }, 'init', '--json');
    const policy = readFileSync(join(place.home, 'exec-approvals.json'), 'utf8');
    const { token } = (JSON.parse(policy) as { socket: { token: string } }).socket;
    expect(out).not.toContain(token);
  });

  it('changes nothing the second time', async () => {
    await cli({ home: place.home }, 'init');
    const policy = join(place.home, 'exec-approvals.json');
    writeFileSync(join(place.home, 'config.json'), '{ "version": 1,   "ui": {} }\n');
    const before = readFileSync(policy, 'utf8');
    const { exitCode, out } = await cli({ home: place.home }, 'init');
    expect(exitCode).toBe(0);
    expect(out).toContain('nothing changed');
    expect(readFileSync(policy, 'utf8')).toBe(before);
    expect(readFileSync(join(place.home, 'config.json'), 'utf8')).toContain('"ui": {}');
  });

  it('keeps a policy that was there before it', async () => {
    await cli({ home: place.home }, 'init');
    for (const name of ['config.json', 'state'])
      rmSync(join(place.home, name), { recursive: true });
    const before = readFileSync(join(place.home, 'exec-approvals.json'), 'utf8');
    expect((await cli({ home: place.home }, 'init')).exitCode).toBe(0);
    expect(readFileSync(join(place.home, 'exec-approvals.json'), 'utf8')).toBe(before);
  });

  it('does not open a lock by making state files that went missing', async () => {
    await cli({ home: place.home }, 'init');
    const paths = homePaths({ INTERLOCK_HOME: place.home });
    rmSync(paths.lockout);
    const { err } = await cli({ home: place.home }, 'init');
    expect(err).toContain('went missing after the set-up, so everything is locked');
    expect(readStopState(paths).mode).toBe('locked');
  });

  it('refuses a home that others can use, and leaves it alone', async () => {
    await cli({ home: place.home }, 'init');
    rmSync(join(place.home, 'config.json'));
    chmodSync(place.home, 0o755);
    const { exitCode, err } = await cli({ home: place.home }, 'init');
    expect(exitCode).toBe(126);
    expect(err).toContain('config-invalid');
    expect(modeOf(place.home)).toBe('755');
    expect(readdirSync(place.home)).not.toContain('config.json');
  });
});
