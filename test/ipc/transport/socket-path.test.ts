import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusalOf } from '../../../shared/base/refusal.ts';
import { connect, listen } from '../../../shared/ipc/transport/ipc.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'path-'));
  path = join(folder, 'a.sock');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const codeOf = async (attempt: () => Promise<unknown>): Promise<string | undefined> => {
  try {
    await attempt();
    return 'accepted';
  } catch (error) {
    return refusalOf(error)?.code;
  }
};

const tryListen = (at = path): Promise<string | undefined> =>
  codeOf(async () => (await listen(at, () => {})).dispose());
const tryConnect = (at = path): Promise<string | undefined> =>
  codeOf(async () => {
    (await connect(at, { timeoutMs: 2_000 })).destroy();
  });

async function served(at: string): Promise<Server> {
  const server = createServer((socket) => socket.resume());
  await new Promise<void>((resolve) => {
    server.listen(at, resolve);
  });
  return server;
}

const stopped = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
  });

/** A socket file with nobody behind it: its server died without a word. */
async function leaveStale(): Promise<void> {
  const server = await served(join(folder, 'tmp.sock'));
  renameSync(join(folder, 'tmp.sock'), path);
  await stopped(server);
}

describe('the path of the approvals socket', () => {
  it.each<[string, () => void]>([
    [
      'a folder',
      () => {
        mkdirSync(path);
      },
    ],
    [
      'a file',
      () => {
        writeFileSync(path, 'precious');
      },
    ],
    [
      'a symbolic link',
      () => {
        symlinkSync(join(folder, 'target'), path);
      },
    ],
  ])('is refused when it is %s, which stays as it is', async (_kind, make) => {
    make();
    const before = lstatSync(path).ino;
    expect(await tryListen()).toBe('config-invalid');
    expect(await tryConnect()).toBe('config-invalid');
    expect(lstatSync(path).ino).toBe(before);
  });

  it.runIf(process.geteuid?.() === 0)('is refused when it belongs to another user', async () => {
    const { chownSync } = await import('node:fs');
    await leaveStale();
    chownSync(path, 1234, 1234);
    expect(await tryListen()).toBe('config-invalid');
    expect(await tryConnect()).toBe('config-invalid');
    chownSync(folder, 1234, 1234);
    rmSync(path);
    expect(await tryListen()).toBe('config-invalid');
  });

  it('is refused when others may enter its folder', async () => {
    chmodSync(folder, 0o755);
    expect(await tryListen()).toBe('config-invalid');
    expect(existsSync(path)).toBe(false);
    expect(statSync(folder).mode & 0o777).toBe(0o755);
  });

  it('is refused when its folder is a symbolic link', async () => {
    const real = join(folder, 'real');
    mkdirSync(real, { mode: 0o700 });
    symlinkSync(real, join(folder, 'link'));
    expect(await tryListen(join(folder, 'link', 'a.sock'))).toBe('config-invalid');
  });

  it('is refused when it is too long for a socket', async () => {
    expect(await tryListen(join(folder, 'x'.repeat(120)))).toBe('config-invalid');
  });

  it('is refused when its lease is a symbolic link', async () => {
    writeFileSync(join(folder, 'elsewhere'), '');
    symlinkSync(join(folder, 'elsewhere'), `${path}.lock`);
    expect(await tryListen()).toBe('config-invalid');
  });

  it('is taken over from a socket that nobody answers', async () => {
    await leaveStale();
    expect(await tryConnect()).toBe('approver-unavailable');
    const listener = await listen(path, () => {});
    expect(await tryConnect()).toBe('accepted');
    await listener.dispose();
    expect(existsSync(path)).toBe(false);
  });

  it('is left alone while somebody answers, another program or Interlock itself', async () => {
    const other = await served(path);
    const inode = lstatSync(path).ino;
    expect(await tryListen()).toBe('concurrency-busy');
    expect(lstatSync(path).ino).toBe(inode);
    await stopped(other);

    const listener = await listen(path, () => {});
    expect(await tryListen()).toBe('concurrency-busy');
    expect(await tryConnect()).toBe('accepted');
    await listener.dispose();
    expect(await tryListen()).toBe('accepted');
  });

  it('goes to one of two that start at once', async () => {
    await leaveStale();
    const starts = await Promise.allSettled([1, 2, 3].map(() => listen(path, () => {})));
    const listeners = starts.filter((start) => start.status === 'fulfilled');
    expect(listeners).toHaveLength(1);
    expect(await tryConnect()).toBe('accepted');
    for (const { value } of listeners) await value.dispose();
  });

  it('is not removed at the end when another socket stands there by then', async () => {
    const listener = await listen(path, () => {});
    rmSync(path);
    const other = await served(path);
    await listener.dispose();
    expect(existsSync(path)).toBe(true);
    await stopped(other);
  });

  it('means nobody can be reached while there is no socket, or no folder', async () => {
    expect(await tryConnect()).toBe('approver-unavailable');
    expect(await tryConnect(join(folder, 'none', 'a.sock'))).toBe('approver-unavailable');
  });
});
