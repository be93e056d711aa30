import { execFile } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, readdirSync } from 'node:fs';
import type { Stats } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { refusalOf } from '../../base/index.ts';
import { connectThroughDoor } from '../../ipc/index.ts';
import type { FoundFile, SocketState } from './types.ts';

interface ElectronSearch {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly packageRoot: string;
}

/**
 * Absolute path of the Electron binary, or null. `ELECTRON_PATH` wins; else the `electron` package
 * says in `path.txt` where its own lies. The package itself is never imported: it would start a
 * download.
 */
export function findElectron({ env, packageRoot }: ElectronSearch): string | null {
  const wanted = env['ELECTRON_PATH'];
  if (wanted !== undefined && wanted !== '') return existsSync(wanted) ? wanted : null;
  const folder = join(packageRoot, 'node_modules', 'electron');
  try {
    const binary = join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8').trim());
    return existsSync(binary) ? binary : null;
  } catch {
    return null;
  }
}

/** Whether a window could be shown: on Linux a display server must be named. */
export function hasDisplay(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): boolean {
  if (platform !== 'linux') return true;
  return Boolean(env['DISPLAY'] ?? '') || Boolean(env['WAYLAND_DISPLAY'] ?? '');
}

const mostFiles = 2000;

/** The thing itself, symlinks not followed, or null when it is not there. */
export function foundFile(path: string): FoundFile | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  return { path, kind: kindOf(stats), uid: stats.uid, mode: stats.mode & 0o777 };
}

/** Everything below a directory, at most 2,000 entries, symlinks not followed. */
export function filesBelow(directory: string): readonly FoundFile[] {
  const found: FoundFile[] = [];
  const waiting = [directory];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const name of namesIn(next)) {
      const file = foundFile(join(next, name));
      if (file === null) continue;
      found.push(file);
      if (found.length >= mostFiles) return found;
      if (file.kind === 'directory') waiting.push(file.path);
    }
  }
  return found;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function kindOf(stats: Stats): FoundFile['kind'] {
  if (stats.isSymbolicLink()) return 'symlink';
  if (stats.isDirectory()) return 'directory';
  if (stats.isSocket()) return 'socket';
  return stats.isFile() ? 'file' : 'other';
}

/** Knocks at a Unix socket, for at most a second, and says what is there. Sends nothing. */
export async function socketState(path: string): Promise<SocketState> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'absent';
  if (!stats.isSocket()) return 'not-a-socket';
  return new Promise((resolve) => {
    const socket = knock(path);
    if (typeof socket === 'string') {
      resolve(socket);
      return;
    }
    const end = (state: SocketState): void => {
      socket.destroy();
      resolve(state);
    };
    socket.setTimeout(1000, () => end('live'));
    socket.once('connect', () => end('live'));
    socket.once('error', (error) => end(stateAfter(error)));
  });
}

function knock(path: string): Socket | SocketState {
  try {
    return connectThroughDoor(path);
  } catch (error) {
    return refusalOf(error) === undefined ? stateAfter(error) : 'foreign';
  }
}

/** Only a refused connection proves that nobody listens; any other doubt leaves the file alone. */
function stateAfter(error: unknown): SocketState {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' ? 'stale' : code === 'ENOENT' ? 'absent' : 'live';
}

const run = promisify(execFile);

/** What `gdbus` is started with: nothing of a session but the address of the system's bus, if it is an unusual one. */
export function gdbusEnvironment(
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const { DBUS_SYSTEM_BUS_ADDRESS: address = '' } = own;
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    LC_ALL: 'C',
    ...(address !== '' && { DBUS_SYSTEM_BUS_ADDRESS: address }),
  };
}

/** Asks logind for a sign of life. Null when it gives one, else a sentence that says what is missing. */
export async function probeLogind(
  own: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const ping = [
    '--object-path',
    '/org/freedesktop/login1',
    '--method',
    'org.freedesktop.DBus.Peer.Ping',
  ];
  const args = ['call', '--system', '--timeout', '2', '--dest', 'org.freedesktop.login1', ...ping];
  try {
    await run('gdbus', args, { env: gdbusEnvironment(own), timeout: 4_000 });
    return null;
  } catch (error) {
    const { code, stderr = '' } = error as { readonly code?: unknown; readonly stderr?: string };
    if (code === 'ENOENT') return 'gdbus is not installed.';
    const said = stderr.trim().split('\n')[0] ?? '';
    return said === '' ? 'logind does not answer.' : said.slice(0, 300);
  }
}
