import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it as vitestIt } from 'vitest';
import type { BoxRuntimeName } from '../../../shared/engine/index.ts';
import { defaultConfig } from '../../../shared/engine/index.ts';
import { ownUid } from '../../../shared/home/index.ts';
import { temporaryFolder } from '../hosts/support.ts';
import { canBox, home, inBox, lives } from './support.ts';

type Engine = Exclude<BoxRuntimeName, 'kernel'>;

/** podman's own runtime refuses the two kinds of control groups beside each other, so it sees one. */
const oneKind =
  '#!/bin/sh\nexec unshare -m sh -c \'umount "$1"; shift; exec podman "$@"\' sh %s "$@"\n';
const second = '/sys/fs/cgroup/unified';

function programOf(runtime: Engine, folder: string): Partial<Record<Engine, string>> {
  if (runtime !== 'podman' || !existsSync(second)) return {};
  const program = join(folder, 'podman');
  writeFileSync(program, oneKind.replace('%s', second), { mode: 0o700 });
  return { podman: program };
}

/** Whether an engine can start anything at all on this machine. */
const canStart: Readonly<Record<Engine, () => boolean>> = {
  'systemd-nspawn': () => {
    const words = '-q --register=no --keep-unit --volatile=yes --private-network --pipe -D /';
    const name = ['-M', `interlock-test-${String(process.pid)}`, '/bin/true'];
    return spawnSync('systemd-nspawn', [...words.split(' '), ...name]).status === 0;
  },
  podman: () => ownUid() === 0 && spawnSync('podman', ['info']).status === 0,
};

describe.each(['systemd-nspawn', 'podman'] as const)('a box that %s builds', (runtime) => {
  const here = canBox && canStart[runtime]();
  const it = here ? vitestIt : vitestIt.skip;

  /** A home whose template "engine" is built by it. */
  const built = () => {
    const templates = { engine: { description: 'for tests', agents: [], runtime } };
    const config = { ...defaultConfig, boxes: { ...defaultConfig.boxes, templates } };
    return home({ config: () => config }, programOf(runtime, temporaryFolder()));
  };
  const up = async () => {
    const made = built();
    const { boxes, workspace, records } = made;
    writeFileSync(join(workspace, '.env'), 'TOKEN=1');
    mkdirSync(join(workspace, 'src'));
    await boxes.up({ name: 'one', templateName: 'engine', workspace, network: 'none' });
    return { ...made, pid: records.read('one')?.keeper?.pid ?? 0 };
  };

  it('means the same: the workspace is written, its secrets are empty, the system is read', async () => {
    const { boxes, workspace } = await up();
    const say = async (script: string) => inBox(boxes, 'one', 'sh', '-c', script);
    expect(await say('echo hi > made && cat .env && cat made')).toEqual({ code: 0, text: 'hi' });
    expect(readFileSync(join(workspace, 'made'), 'utf8')).toBe('hi\n');
    expect((await say('echo x > /usr/x')).code).not.toBe(0);
    expect((await say('echo x > .env')).code).not.toBe(0);
    expect((await say('echo x > /x; cat /.interlock-launcher')).code).not.toBe(0);
    expect((await say('cat /sys/kernel/mm/transparent_hugepage/enabled')).code).not.toBe(0);
    expect((await say('kill -9 1; unshare -U true')).code).not.toBe(0);
    expect((await say('echo x > ~/here && cat ~/here')).text).toBe('x');
    expect((await say('grep CapEff /proc/self/status')).text).toMatch(/\s0{16}$/u);
    expect((await say('cat /proc/1/environ /proc/1/mem')).code).not.toBe(0);
    expect((await say('grep -c : /proc/net/dev')).text).toBe('1');
  });

  it('has its windows, and nothing of it is left at its end', async () => {
    const { boxes, pid, records, workspace } = await up();
    const state = await boxes.state('one');
    expect(state.windows?.map(({ name }) => name)).toEqual(['shell']);
    expect(lives(pid)).toBe(true);
    await boxes.down('one');
    expect(lives(pid)).toBe(false);
    expect(existsSync(records.rootOf('one'))).toBe(false);
    expect(existsSync(records.socketOf('one'))).toBe(false);
    expect(readdirSync(workspace).toSorted()).toEqual(['.env', 'src']);
  });

  it('ends with its first process, and is put in order by gc', async () => {
    const { boxes, pid, records } = await up();
    process.kill(pid, 'SIGKILL');
    await expect.poll(async () => (await boxes.state('one')).state).toBe('stopped');
    await boxes.gc();
    expect(existsSync(records.rootOf('one'))).toBe(false);
    expect((await boxes.start('one')).state).toBe('running');
  });
});
