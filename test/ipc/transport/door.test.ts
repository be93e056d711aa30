import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callRunner } from '../../../runner/hook/call.ts';
import { refusalOf } from '../../../shared/base/refusal.ts';
import { runnerClient } from '../../../shared/ipc/runner-client.ts';
import { connect } from '../../../shared/ipc/transport/ipc.ts';
import { connectThroughDoor, openDoor } from '../../../shared/ipc/transport/door.ts';
import { socketState } from '../../../shared/operations/health/probes.ts';
import { cli } from '../../runner/cli/support.ts';

const isRoot = process.geteuid?.() === 0;
const stranger = 65_534;

let folder: string;
let servers: Server[];
let children: ChildProcess[];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-door-')));
  servers = [];
  children = [];
});
afterEach(async () => {
  for (const server of servers) server.close();
  for (const child of children) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Listens there as this user, and counts who comes. */
async function listenAt(path: string): Promise<() => number> {
  let came = 0;
  const server = createServer((socket) => {
    came += 1;
    socket.destroy();
  });
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  return () => came;
}

/** Another user listens there, and agrees with everything; hands back what that user has heard. */
async function plant(path: string): Promise<() => string> {
  const program = `
    require('node:net').createServer((socket) => {
      process.stdout.write('CAME ');
      socket.on('data', (data) => process.stdout.write(data));
      socket.end('HTTP/1.1 200 OK\\r\\ncontent-length: 11\\r\\n\\r\\n{"ok":true}');
    }).listen(process.argv[1], () => process.stdout.write('READY '));`;
  const child = spawn(process.execPath, ['-e', program, path], {
    uid: stranger,
    gid: stranger,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  let heard = '';
  child.stdout?.on('data', (data: Buffer) => (heard += data.toString()));
  await once(child.stdout ?? child, 'data');
  return () => heard;
}

const refusalAt = (path: string, options = {}): string | undefined => {
  try {
    connectThroughDoor(path, options).destroy();
    return 'accepted';
  } catch (error) {
    return refusalOf(error)?.code ?? (error as NodeJS.ErrnoException).code;
  }
};

describe('the door of a socket', () => {
  it('opens where folder and socket are our own, however long the path is', async () => {
    const deep = join(folder, 'x'.repeat(120));
    mkdirSync(deep);
    const short = join(folder, 's');
    const came = await listenAt(short);
    renameSync(short, join(deep, 's'));
    if (process.platform !== 'linux') return;
    const socket = connectThroughDoor(join(deep, 's'));
    await once(socket, 'connect');
    socket.destroy();
    await expect.poll(came).toBe(1);
  });

  it('says by the system’s own codes that nothing is there', () => {
    expect(refusalAt(join(folder, 's'))).toBe('ENOENT');
    expect(refusalAt(join(folder, 'none', 's'))).toBe('ENOENT');
  });

  it('stays shut where others may write in the folder', async () => {
    const came = await listenAt(join(folder, 's'));
    for (const mode of [0o777, 0o770, 0o1777, 0o702]) {
      chmodSync(folder, mode);
      expect(refusalAt(join(folder, 's')), mode.toString(8)).toBe('config-invalid');
    }
    chmodSync(folder, 0o755);
    expect(refusalAt(join(folder, 's'))).toBe('accepted');
    await expect.poll(came).toBe(1);
  });

  it('follows no link, neither to a folder nor to a socket', async () => {
    await listenAt(join(folder, 's'));
    symlinkSync(folder, join(folder, 'link'));
    symlinkSync(join(folder, 's'), join(folder, 'socket-link'));
    expect(refusalAt(join(folder, 'link', 's'))).toBe('config-invalid');
    expect(refusalAt(join(folder, 'socket-link'))).toBe('config-invalid');
  });

  it('leads to the folder that was looked at, whatever takes its place meanwhile', async () => {
    if (process.platform !== 'linux') return;
    const own = join(folder, 'own');
    const other = join(folder, 'other');
    mkdirSync(own);
    mkdirSync(other);
    const ours = await listenAt(join(own, 's'));
    const theirs = await listenAt(join(other, 's'));
    const door = openDoor(join(own, 's'));
    renameSync(own, join(folder, 'away'));
    renameSync(other, own);
    const { createConnection } = await import('node:net');
    const socket = createConnection(door.path);
    await once(socket, 'connect');
    socket.destroy();
    door.close();
    await expect.poll(ours).toBe(1);
    expect(theirs()).toBe(0);
  });

  it.runIf(!isRoot)('stays shut where the folder belongs to another than it should', async () => {
    await listenAt(join(folder, 's'));
    expect(refusalAt(join(folder, 's'), { uid: stranger })).toBe('config-invalid');
  });

  it.runIf(isRoot)(
    'takes the account of the machine’s service in a folder that root made',
    async () => {
      const run = join(folder, 'run');
      const home = join(run, 'interlock');
      mkdirSync(home, { recursive: true });
      chownSync(home, stranger, stranger);
      const came = await listenAt(join(home, 's'));
      chownSync(join(home, 's'), stranger, stranger);
      const serviceUid = (): number => stranger;
      expect(refusalAt(join(home, 's'), { serviceUid })).toBe('accepted');
      expect(refusalAt(join(home, 's'), { serviceUid: () => 65_533 })).toBe('config-invalid');
      expect(refusalAt(join(home, 's'), { serviceUid: () => null })).toBe('config-invalid');
      chmodSync(run, 0o1777);
      expect(refusalAt(join(home, 's'), { serviceUid })).toBe('config-invalid');
      await expect.poll(came).toBe(1);
    },
  );
});

describe('the sources', () => {
  /**
   * Whether anybody listens where a socket is to be made; who it is itself; the proxy and what
   * takes the record away, whose connections are of the network.
   */
  const others = [
    'shared/ipc/transport/socket-path.ts',
    'shared/operations/health/facts.ts',
    'runner/audit/receivers.ts',
    'runner/egress/service.ts',
  ];

  it('connect to sockets through the door, and nowhere else', () => {
    const root = join(import.meta.dirname, '../../..');
    const files = ['shared', 'runner', 'app'].flatMap((kit) =>
      readdirSync(join(root, kit), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/u.test(name))
        .map((name) => `${kit}/${name}`),
    );
    const connecting = files.filter((file) =>
      /import (?:\w+, )?(?:\{[^}]*\b(?:connect|createConnection|Socket as)\b[^}]*\}|\w+) from 'node:net'/u.test(
        readFileSync(join(root, file), 'utf8'),
      ),
    );
    expect(connecting.toSorted()).toEqual(['shared/ipc/transport/door.ts', ...others].toSorted());
  });
});

describe.runIf(isRoot)('a socket that another user has put there', () => {
  /** A folder of theirs, a socket of theirs in a folder of ours, and a link to theirs. */
  const planted = async (kind: 'folder' | 'socket' | 'link') => {
    chmodSync(folder, 0o755);
    const home = join(folder, 'home');
    const theirs = kind === 'link' ? join(folder, 'theirs') : home;
    mkdirSync(theirs);
    if (kind === 'socket') chmodSync(theirs, 0o777);
    else chownSync(theirs, stranger, stranger);
    const heard = await plant(join(theirs, 'runner.sock'));
    if (kind === 'socket') chmodSync(theirs, 0o700);
    if (kind === 'link') symlinkSync(theirs, home);
    return { home, socketPath: join(home, 'runner.sock'), heard };
  };

  it.each(['folder', 'socket', 'link'] as const)(
    'hears nothing from the command line (%s)',
    async (kind) => {
      const { home, heard } = await planted(kind);
      for (const words of [
        ['run', '--', 'echo', 'secret'],
        ['run', '--ticket', 'T'.repeat(43), '--', 'echo', 'secret'],
        ['status'],
        ['pending'],
      ]) {
        const { exitCode, err, out } = await cli({ home }, ...words);
        expect(exitCode, `${words.join(' ')}: ${out}${err}`).toBeGreaterThan(124);
      }
      const { err } = await cli({ home }, 'run', '--', 'true');
      expect(err).toMatch(/config-invalid: .*\n {2}Nothing was sent/u);
      expect(heard()).toBe('READY ');
    },
  );

  it.each(['folder', 'socket', 'link'] as const)(
    'hears nothing from a hook, from the app or from the doctor (%s)',
    async (kind) => {
      const { socketPath, heard } = await planted(kind);
      const call = callRunner({
        socketPath,
        path: '/v1/hooks/claude?agent=claude',
        body: Buffer.from('{"secret":1}'),
        signature: { 'x-interlock-mac': 'secret' },
      });
      await expect(call).rejects.toThrow(/^config-invalid: /u);
      const client = runnerClient({ socketPath, sign: () => ({ 'x-interlock-mac': 'secret' }) });
      await expect(client.check({ argv: ['ls'], cwd: '/' })).rejects.toThrow('config-invalid');
      await expect(client.lockout()).rejects.toThrow('config-invalid');
      await expect(client.exec({ argv: ['ls'], cwd: '/' }).next()).rejects.toThrow(
        'config-invalid',
      );
      await expect(connect(socketPath, { timeoutMs: 1_000 })).rejects.toThrow('config-invalid');
      expect(await socketState(socketPath)).toBe('foreign');
      expect(heard()).toBe('READY ');
    },
  );
});
