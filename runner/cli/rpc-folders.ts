import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { RefusalError, messageOf } from '../../shared/base/index.ts';
import type { Config, SharedFolderConfig } from '../../shared/engine/index.ts';
import {
  makeSharedFolder,
  openHome,
  openSharedFolder,
  readConfigFile,
} from '../../shared/home/index.ts';
import type { Home } from '../../shared/home/index.ts';
import { runnerClient } from '../../shared/ipc/index.ts';
import { launchdAgentFile, systemdUnitFile } from '../../shared/operations/index.ts';
import { editConfig } from './config-edit.ts';
import { CliError } from './failure.ts';
import type { Io } from './io.ts';
import { toolRunner } from './service/manager.ts';
import { launchdRpcUnits, systemdRpcUnits } from './service/rpc-units.ts';
import type { RpcUnits } from './service/rpc-units.ts';

/** What a person says of a folder that is to be shared. */
export interface SharingOptions {
  readonly agent?: readonly string[];
  readonly owner?: readonly number[];
}

/** The settings of shared folders. Throws where `config.json` is not valid. */
export function rpcSettings(home: Home): Config['rpc'] {
  const file = readConfigFile(home.config, { uid: home.uid });
  if (!file.ok) throw new RefusalError(file.problem);
  return file.config.rpc;
}

/** Makes the folders in it and writes it into `config.json`; the real path. */
export function shareFolder(folder: string, options: SharingOptions, home: Home): string {
  const path = realFolder(folder);
  requireApart(path, home);
  const { agent: agents, owner: owners } = options;
  const owner = home.uid;
  makeSharedFolder(path, { owners: [owner, ...(owners ?? [])], open: owners !== undefined });
  const entry = { path, ...(agents && { agents }), ...(owners && { owners }) };
  editFolders(home, (folders) => [...folders.filter((one) => one.path !== path), entry]);
  return path;
}

/** Takes it out of `config.json`; what lies in it stays. The path as it stood there. */
export function unshareFolder(folder: string, home: Home): string {
  const path = existsSync(folder) ? realpathSync(folder) : resolve(folder);
  if (!rpcSettings(home).folders.some((one) => one.path === path))
    throw new CliError(`${path} is not shared.`, 'See: interlock rpc status');
  editFolders(home, (folders) => folders.filter((one) => one.path !== path));
  return path;
}

function editFolders(
  home: Home,
  change: (folders: readonly SharedFolderConfig[]) => readonly SharedFolderConfig[],
): void {
  editConfig({ configPath: home.config, owner: home.uid }, (raw, { rpc }) => ({
    ...raw,
    rpc: { ...(raw['rpc'] as object | undefined), folders: change(rpc.folders) },
  }));
}

function realFolder(folder: string): string {
  try {
    return realpathSync(resolve(folder));
  } catch (error) {
    throw new CliError(`There is no folder ${folder}.`, 'Make it first.', { cause: error });
  }
}

/** Whoever could write into this home, or see it, would need no gate. */
function requireApart(path: string, { home }: Home): void {
  const own = realpathSync(home);
  const isIn = (one: string, other: string): boolean =>
    one === other || one.startsWith(other.endsWith(sep) ? other : `${other}${sep}`);
  if (!isIn(path, own) && !isIn(own, path)) return;
  throw new CliError(
    `${path} holds the home of Interlock, ${own}, or lies in it.`,
    "Share a folder of its own: whatever is in it is the sandbox's to change.",
  );
}

/** How one folder stands. */
export interface FolderStatus {
  readonly path: string;
  readonly agents: readonly string[] | null;
  /** What is wrong with it; null where it can be used. */
  readonly problem: string | null;
  /** Requests that lie there, and answers. */
  readonly waiting: number;
  readonly answers: number;
}

const mostCounted = 100_000;

/** Looks at the folders, or at the one that is named. */
export function folderStatus(home: Home, only?: string): readonly FolderStatus[] {
  const wanted = only === undefined ? null : realFolder(only);
  const { folders } = rpcSettings(home);
  const picked = folders.filter(({ path }) => wanted === null || path === wanted);
  if (wanted !== null && picked.length === 0)
    throw new CliError(`${wanted} is not shared.`, `Share it: interlock rpc install ${wanted}`);
  return picked.map(({ path, agents, owners }) => {
    const about = { path, agents: agents ?? null };
    try {
      const folder = openSharedFolder(path, {
        owners: [home.uid, ...(owners ?? [])],
        mode: 0o600,
        word: () => randomBytes(8).toString('hex'),
      });
      const count = (part: 'requests' | 'responses'): number =>
        folder.names(part, mostCounted).filter((name) => /^[0-9a-f-]{36}\.yaml$/u.test(name))
          .length;
      const counts = { waiting: count('requests'), answers: count('responses') };
      folder.close();
      return { ...about, problem: null, ...counts };
    } catch (error) {
      const problem = error instanceof RefusalError ? error.refusal.message : messageOf(error);
      return { ...about, problem, waiting: 0, answers: 0 };
    }
  });
}

/** Who carries out what comes: a runner that is up, or one that is started for it. */
export async function isRunnerUp({ runnerSocket }: Pick<Home, 'runnerSocket'>): Promise<boolean> {
  try {
    await runnerClient({ socketPath: runnerSocket, timeoutMs: 1_000 }).status();
    return true;
  } catch {
    return false;
  }
}

/** What watches without a daemon here; null where the system has neither systemd nor launchd. */
export function rpcUnits(io: Io, platform = process.platform): RpcUnits | null {
  const home = openHome(io.env);
  const person = io.env['HOME'] ?? homedir();
  const entries = (io.env['PATH'] ?? '').split(':').filter((entry) => entry.startsWith('/'));
  const common = {
    run: toolRunner(io.env),
    packageRoot: io.packageRoot,
    facts: {
      node: process.execPath,
      cli: join(io.packageRoot, 'dist', 'runner', 'cli', 'main.js'),
      home: home.home,
      path: entries.length === 0 ? '/usr/local/bin:/usr/bin:/bin' : [...new Set(entries)].join(':'),
    },
  };
  if (platform === 'linux')
    return systemdRpcUnits({ ...common, directory: dirname(systemdUnitFile(io.env, person)) });
  if (platform === 'darwin')
    return launchdRpcUnits({
      ...common,
      directory: dirname(launchdAgentFile(person)),
      uid: home.uid,
    });
  return null;
}
