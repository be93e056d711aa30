import { existsSync } from 'node:fs';
import { refuse } from '../base/index.ts';
import { firstPolicy } from '../engine/index.ts';
import { newToken } from './approvals-token.ts';
import { systemClock } from './clock.ts';
import { readConfigFile } from './config-file.ts';
import { writeFileAtomic } from './files.ts';
import { ensurePrivateDirectory } from './files.ts';
import { writePolicyFile } from './policy-file.ts';
import { openSecretStore } from './secrets.ts';
import { writeInitialStopState } from './stop-state.ts';
import { longestSocketPath, overlongSocket } from './paths.ts';
import type { HomePaths } from './paths.ts';
import { requireHomeVersion, stampText } from './upgrade.ts';

/** Absolute paths of what `init` made and of what was there before. */
export interface InitResult {
  readonly created: readonly string[];
  readonly kept: readonly string[];
  /** Sentences about things that are wrong and that `init` must not put right by itself. */
  readonly problems: readonly string[];
}

export interface InitOptions {
  readonly uid: number;
  readonly now: () => number;
  /** `exec.host` of a first `config.json`; absent: nothing stands there, and the default holds. */
  readonly host?: 'auto' | 'gateway';
  /** The program that makes it, with its version; the home says so. */
  readonly program?: string;
}

/**
 * A person who has just installed this starts agents by name. That the names are believed stands in
 * the file, where it can be seen and changed.
 */
const firstConfig = { version: 1, principals: { trustClaims: true } } as const;

function firstConfigWith(host: InitOptions['host']) {
  return host === undefined ? firstConfig : { ...firstConfig, exec: { host } };
}

/**
 * Makes `INTERLOCK_HOME`: directories 0700, files 0600, a first policy with a fresh token. Whatever
 * is there stays as it is. `config.json` comes last and thereby marks a home that was complete:
 * state files that went missing after it are not made again, because missing means locked.
 * Throws a `config-invalid` refusal where the home is not ours alone, and where its path is too long for
 * sockets to be made in it; nothing is made then.
 */
export async function initHome(paths: HomePaths, options: InitOptions): Promise<InitResult> {
  const { uid, now } = options;
  requireRoomForSockets(paths);
  requireHomeVersion({ ...paths, uid });
  const files = [paths.lockout, paths.pause, paths.policy, paths.config];
  const directories = [paths.home, paths.stateDirectory, paths.auditDirectory, paths.keysDirectory];
  const kept = [...directories, ...files].filter((path) => existsSync(path));
  const wasComplete = kept.includes(paths.config);
  for (const directory of directories) ensurePrivateDirectory(directory, { uid });
  if (!wasComplete) writeInitialStopState(paths, now());
  if (!kept.includes(paths.policy)) await writeFirstPolicy(paths, uid);
  if (!wasComplete && !existsSync(paths.stamp))
    writeFileAtomic(paths.stamp, stampText({ program: options.program ?? 'interlock', at: now() }));
  if (!wasComplete)
    writeFileAtomic(paths.config, `${JSON.stringify(firstConfigWith(options.host), null, 2)}\n`);
  return {
    created: [...directories, ...files].filter((path) => !kept.includes(path) && existsSync(path)),
    kept,
    problems: [paths.lockout, paths.pause]
      .filter((path) => !existsSync(path))
      .map((path) => `${path} went missing after the set-up, so everything is locked.`),
  };
}

function requireRoomForSockets(paths: HomePaths): void {
  const overlong = overlongSocket(paths);
  if (overlong === null) return;
  throw refuse(
    'config-invalid',
    `The path of this home is too long: ${overlong} has more than ${String(longestSocketPath)} bytes, and no socket can be made there.`,
    'Set INTERLOCK_HOME to a shorter path. Nothing was made.',
  );
}

/** Where `approvals.v1` is off already, no token comes into the file at all. */
async function writeFirstPolicy(paths: HomePaths, uid: number): Promise<void> {
  const { home, keysDirectory: directory } = paths;
  const config = readConfigFile(paths.config, { uid });
  const place = config.ok && !config.config.approvals.v1 ? 'store' : 'policy';
  const { field } = await newToken(place, async () =>
    openSecretStore({ home, directory, uid, clock: systemClock }),
  );
  const document = firstPolicy({ path: paths.approvalsSocket, token: field });
  await writePolicyFile(paths.policy, document, { uid, baseHash: null });
}
