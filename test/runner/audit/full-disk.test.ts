import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { initHome } from '../../../shared/home/init.ts';
import { homePaths } from '../../../shared/home/paths.ts';
import { writePolicyFile } from '../../../shared/home/policy-file.ts';
import { endOf, exec, readPolicy, startRunnerProcess, stdoutOf } from '../service/support.ts';
import { uid, verifyHome } from './support.ts';
import { tallyOf } from './tally.ts';

const disk = mkdtempSync(join(tmpdir(), 'il-disk-'));
const mounted =
  process.platform === 'linux' &&
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'tmpfs', disk]).status === 0;
if (!mounted)
  console.warn('NOT TESTED: a disk that is really full, because no tmpfs can be mounted here');

afterAll(() => {
  if (mounted) spawnSync('umount', [disk]);
  rmSync(disk, { recursive: true, force: true });
});

test.skipIf(!mounted)(
  'a runner on a full disk runs nothing and says so; with room again it goes on, and the log holds',
  { timeout: 60_000 },
  async () => {
    const paths = homePaths({ INTERLOCK_HOME: join(disk, 'home') });
    await initHome(paths, { uid, now: Date.now });
    const { document, hash } = readPolicy(paths);
    const agents = { '*': { security: 'full', ask: 'off' } } as const;
    await writePolicyFile(paths.policy, { ...document, agents }, { uid, baseHash: hash });
    const outside = mkdtempSync(join(tmpdir(), 'il-ran-'));
    onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
    const runner = await startRunnerProcess(paths);
    const touch = async (name: string): Promise<string> =>
      endOf(await exec(paths, { argv: ['touch', join(outside, name)] }).done);
    expect(await touch('before')).toBe('exit 0');

    const ballast = join(disk, 'ballast');
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    // The last page of the log may still have room for some rows.
    const ends: string[] = [];
    for (let count = 0; count < 40 && ends.at(-1) !== 'audit-unavailable'; count += 1)
      ends.push(await touch(`full-${String(count)}`));
    expect(ends.at(-1)).toBe('audit-unavailable');
    expect(existsSync(join(outside, `full-${String(ends.length - 1)}`))).toBe(false);
    expect(await touch('still-full')).toBe('audit-unavailable');
    expect(existsSync(join(outside, 'still-full'))).toBe(false);

    rmSync(ballast);
    expect(stdoutOf(await exec(paths, { argv: ['echo', 'on'] }).done)).toBe('on\n');
    await runner.kill('SIGTERM');
    expect((await verifyHome(paths)).problems).toEqual([]);
    const { allowed, closed } = tallyOf(paths);
    // A decision whose outcome the full disk did not take is closed by the next start.
    expect([...allowed].filter((id) => !closed.has(id)).length).toBeLessThanOrEqual(1);
  },
);
