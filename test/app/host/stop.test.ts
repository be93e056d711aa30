import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { lockOut, unlock } from '../../../app/host/stop.ts';
import { initHome } from '../../../shared/home/init.ts';
import { agentKeyFile, issueAgentKey, revokeAgentKeys } from '../../../shared/home/agent-keys.ts';
import { homePaths } from '../../../shared/home/paths.ts';
import { fileSecretStore } from '../../../shared/home/secrets.ts';
import { havePassphrase } from '../../support/passphrase.ts';
import { closeLock, removeRuntimeLocks } from '../../../shared/home/stop-state.ts';
import { readStopState } from '../../../shared/home/stop-state.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { writeTrouble } from '../../../app/host/refusals.ts';
import { RunnerUnreachableError } from '../../../shared/ipc/runner-call.ts';
import { refuse } from '../../../shared/base/refusal.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interlock-stop-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const uid = process.geteuid?.() ?? -1;
const unreachable = new RunnerUnreachableError('None.', '/s');
const wholeHome = async () => {
  const paths = homePaths({ INTERLOCK_HOME: join(folder, 'home') });
  await initHome(paths, { uid, now: () => 1 });
  return paths;
};
const rest = () => ({
  uid,
  clock: fakeClock(7),
  keys: { revokeAll: () => Promise.resolve(2) },
  processes: { look: () => ({ processes: [], bootId: null, spare: 0 }), pick: () => [] },
});

describe('a lockout', () => {
  it('is left to the runner that answers', async () => {
    const paths = await wholeHome();
    const stopped = { ok: true, mode: 'locked', stopped: 2, withdrawn: 1, keysRotated: 3 } as const;
    const runner = { lockout: () => Promise.resolve({ ...stopped, tokenRotated: true }) };
    expect(await lockOut({ runner, paths, ...rest() }, 'r')).toEqual({
      stopped: 2,
      withdrawn: 1,
      keysRotated: 3,
      tokenRotated: true,
      left: 0,
      problems: [],
      runnerReached: true,
    });
    expect(readStopState(paths).mode).toBe('armed');
  });

  it('closes by its file while the runner hesitates, and keeps to what the runner counts', async () => {
    const paths = await wholeHome();
    const options = rest();
    const runner = {
      lockout: () => {
        options.clock.advance(1_000);
        expect(readStopState(paths)).toEqual({ mode: 'locked', reason: 'r' });
        return Promise.resolve({
          ok: true,
          mode: 'locked',
          stopped: 5,
          withdrawn: 0,
          keysRotated: 0,
        } as const);
      },
    };
    expect(await lockOut({ runner, paths, ...options }, 'r')).toMatchObject({ stopped: 5 });
  });

  it.each([
    ['does not answer', unreachable],
    ['refuses', refuse('audit-unavailable', 'The log is full.', 'Make room.')],
    ['breaks', new Error('what')],
  ])('is done without the runner when it %s', async (_name, error) => {
    const paths = await wholeHome();
    const tokenBefore = readFileSync(paths.policy, 'utf8');
    const runner = { lockout: () => Promise.reject(error) };
    expect(await lockOut({ runner, paths, ...rest() }, 'r')).toEqual({
      stopped: 0,
      withdrawn: 0,
      keysRotated: 2,
      tokenRotated: true,
      left: 0,
      problems: [],
      runnerReached: false,
    });
    expect(readStopState(paths)).toEqual({ mode: 'locked', reason: 'r' });
    expect(readFileSync(paths.policy, 'utf8')).not.toBe(tokenBefore);
  });

  it('holds outside the home, and says so, when the file cannot be written', async () => {
    const paths = await wholeHome();
    onTestFinished(() => removeRuntimeLocks(paths.home, uid));
    rmSync(paths.stateDirectory, { recursive: true });
    const runner = { lockout: () => Promise.reject(unreachable) };
    expect((await lockOut({ runner, paths, ...rest() }, 'r')).problems).toContainEqual(
      expect.stringContaining('The lock holds until this machine starts again'),
    );
    expect(readStopState(paths)).toEqual({ mode: 'locked', reason: 'r' });
  });

  it('says plainly that nothing is locked when it can be written nowhere', async () => {
    const paths = await wholeHome();
    rmSync(paths.stateDirectory, { recursive: true });
    const runner = { lockout: () => Promise.reject(unreachable) };
    // No folder in memory belongs to a user of this number.
    const nobody = { ...rest(), uid: 4_000_000 };
    await expect(lockOut({ runner, paths, ...nobody }, 'r')).rejects.toMatchObject({
      refusal: {
        code: 'config-invalid',
        message: expect.stringContaining('its folder is gone'),
        hint: expect.stringContaining('Nothing is locked'),
      },
    });
  });
});

describe('an unlock', () => {
  it('takes the passphrase, and asks no runner', async () => {
    const paths = await wholeHome();
    closeLock(paths, { reason: 'r', at: 1, by: 'test' });
    const options = { paths, uid, clock: fakeClock(2) };
    await expect(unlock(options, { passphrase: 'correct horse' })).rejects.toMatchObject({
      refusal: { code: 'config-invalid' },
    });
    havePassphrase(paths.passphrase, 'correct horse');
    await expect(unlock(options, { passphrase: 'wrong horse' })).rejects.toMatchObject({
      refusal: { code: 'confirm-rejected' },
    });
    expect(readStopState(paths).mode).toBe('locked');
    await unlock(options, { passphrase: 'correct horse' });
    expect(readStopState(paths)).toEqual({ mode: 'armed', reason: null });
  });

  it('gives every agent whose key was taken away a new one, where that is wanted', async () => {
    const paths = await wholeHome();
    const directory = paths.keysDirectory;
    const secrets = fileSecretStore(directory, { uid });
    const issuing = { directory, secrets, uid, now: () => 1, random: randomBytes };
    for (const name of ['claude', 'codex']) await issueAgentKey({ name, createdAt: 1 }, issuing);
    await revokeAgentKeys(issuing);
    closeLock(paths, { reason: 'r', at: 1, by: 'test' });
    havePassphrase(paths.passphrase, 'correct horse');
    await unlock(
      { paths, uid, clock: fakeClock(2) },
      { passphrase: 'correct horse', agents: true },
    );
    for (const name of ['claude', 'codex'])
      expect(readFileSync(agentKeyFile(directory, name), 'utf8')).not.toBe('');
  });
});

describe('trouble with writing', () => {
  const where = { path: '/p', hint: 'h' };
  it.each([
    ['ENOSPC', 'the disk is full'],
    ['EROFS', 'the disk is read-only'],
    ['EACCES', 'it may not be written'],
  ])('%s means that %s', (code, cause) => {
    const refusal = writeTrouble(Object.assign(new Error('x'), { code }), where)?.refusal;
    expect(refusal?.message).toBe(`/p could not be written: ${cause}.`);
  });

  it.each([[new Error('a bug')], [null], [{ code: 'E_OTHER' }]])(
    'is not made up for %o',
    (error) => {
      expect(writeTrouble(error, where)).toBeNull();
    },
  );
});
