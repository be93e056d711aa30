import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { gatherFacts } from '../../shared/operations/health/facts.ts';
import { homePaths } from '../../shared/home/paths.ts';
import { cli, temporaryHome } from '../runner/cli/support.ts';

let place: ReturnType<typeof temporaryHome>;
beforeEach(async () => {
  place = temporaryHome();
  await cli({ home: place.home }, 'init');
});
afterEach(() => {
  vi.restoreAllMocks();
  place.remove();
});

const uid = process.geteuid?.() ?? -1;

describe('who we are', () => {
  it('is the effective user everywhere, as it is for the kernel', async () => {
    const user = process as { getuid: () => number };
    vi.spyOn(user, 'getuid').mockReturnValue(uid + 1);
    const { err, exitCode } = await cli({ home: place.home }, 'approvals', 'get');
    expect({ err, exitCode }).toEqual({ err: '', exitCode: 0 });
    expect(await cli({ home: place.home }, 'init')).toMatchObject({ err: '', exitCode: 0 });
    const again = temporaryHome();
    expect(await cli({ home: again.home }, 'init')).toMatchObject({ err: '', exitCode: 0 });
    again.remove();
  });
});

describe('config.json has one reader', () => {
  const facts = async () => {
    const { home } = place;
    const env = { INTERLOCK_HOME: home, PATH: process.env['PATH'] };
    const paths = homePaths(env);
    return gatherFacts({ paths, env, uid, platform: process.platform, packageRoot: home });
  };

  it('health says of a file that others can use what the runner says', async () => {
    const path = join(place.home, 'config.json');
    chmodSync(path, 0o644);
    const { config, configProblem } = await facts();
    expect(config).toBeNull();
    expect(configProblem).toContain('can be used by others (mode 644)');
  });

  it('health says of a missing file what the runner says: the defaults hold', async () => {
    const path = join(place.home, 'config.json');
    rmSync(path);
    const { config, configProblem } = await facts();
    expect(configProblem).toBeNull();
    expect(config?.exec.host).toBe('gateway');
  });
});
