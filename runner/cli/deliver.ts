import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, join, resolve, sep } from 'node:path';
import { RefusalError } from '../../shared/base/index.ts';
import { deliverTo, readConfigFile } from '../../shared/home/index.ts';
import type { Home } from '../../shared/home/index.ts';
import type { IssuedKey } from '../principals/callers.ts';
import { CliError } from './failure.ts';

export interface DeliverOptions {
  readonly deliver?: string;
  readonly mountedAt?: string;
}

/** Where a key is to go. */
interface Target {
  readonly home: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/**
 * Where the key that is about to be issued goes; null where it stays here. Throws before one is issued,
 * for a place that would give it away: a shared folder, or this home itself.
 */
export async function targetOf(options: DeliverOptions, home: Home): Promise<Target | null> {
  const { deliver: wanted, mountedAt } = options;
  if (wanted === undefined) {
    if (mountedAt === undefined) return null;
    throw new CliError(
      '--mounted-at goes with --deliver.',
      'Name the home of the sandbox as well.',
    );
  }
  if (mountedAt !== undefined && !isAbsolute(mountedAt))
    throw new CliError('--mounted-at takes an absolute path.', 'Write it as the sandbox sees it.');
  const target = realOf(resolve(wanted));
  const file = readConfigFile(home.config, { uid: home.uid });
  if (!file.ok) throw new RefusalError(file.problem);
  const { rpc } = file.config;
  const place = realOf(join(target, '.interlock'));
  if (place === realOf(home.home))
    throw new CliError(
      `${place} is the home of this Interlock, and not of a sandbox.`,
      'Name the home folder that the sandbox has.',
    );
  const shared = rpc.folders.find(({ path }) =>
    isWithin(join(target, '.interlock', 'rpc'), realOf(path)),
  );
  if (shared !== undefined)
    throw new CliError(
      `${target} lies in the shared folder ${shared.path}, and a key does not belong there.`,
      'Name the home of the sandbox, outside of what is shared.',
    );
  // With no file yet: whatever is wrong there is said before a key is issued.
  await deliverTo(target, [], word);
  return {
    home: target,
    settings: {
      version: 1,
      ...(mountedAt !== undefined && { folder: mountedAt }),
      pauseAfterRefusals: rpc.pauseAfterRefusals,
      waitSec: Math.round(rpc.staleMs / 1_000),
    },
  };
}

/** Puts the key, and what its client has to know, into the home of the sandbox; the file of the key. */
export async function deliver(
  { name, keyFile }: IssuedKey,
  { home, settings }: Target,
): Promise<string> {
  const folder = await deliverTo(
    home,
    [
      { name: `${name}.key`, text: readFileSync(keyFile, 'utf8') },
      { name: `${name}.json`, text: `${JSON.stringify(settings, null, 2)}\n` },
    ],
    word,
  );
  return join(folder, `${name}.key`);
}

function word(): string {
  return randomBytes(8).toString('hex');
}

function realOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
