import { randomBytes } from 'node:crypto';
import { basename, join, resolve } from 'node:path';
import { ownUid } from '../../shared/home/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import { readKeyFile, signCall } from '../../shared/ipc/index.ts';
import type { SignCall } from '../../shared/ipc/index.ts';
import { CliError } from './failure.ts';
import { folderOf } from './request.ts';
import type { Io } from './io.ts';

/** Who speaks, and how the calls are signed; neither when there is no key. */
interface Speaker {
  readonly agent?: string;
  readonly sign?: SignCall;
}

const suffix = '.key';

/**
 * The key to sign with: of `--key`, else of INTERLOCK_KEY_FILE, else the agent's own in the home
 * where it can be read. Only the first two must exist. Without `--agent`, the file's name says who
 * speaks.
 */
export function speakerOf(
  options: { readonly agent?: string; readonly key?: string },
  io: Io,
  paths: Pick<HomePaths, 'agentKeysDirectory'>,
): Speaker {
  const named = options.key ?? (io.env['INTERLOCK_KEY_FILE'] || undefined);
  if (named === undefined) {
    if (options.agent === undefined || !isPlain(options.agent)) return given(options.agent);
    const own = ownKey(join(paths.agentKeysDirectory, options.agent + suffix));
    return own === null ? given(options.agent) : signing(options.agent, own, io);
  }
  const path = resolve(folderOf(io), named);
  const agent = options.agent ?? basename(path, suffix);
  const key = readKeyFile(path, ownUid());
  if (key === null)
    throw new CliError(
      `There is no key file ${path}.`,
      `A person may issue a new key: interlock agents rekey ${isPlain(agent) ? agent : 'NAME'}`,
    );
  return signing(agent, key, io);
}

function signing(agent: string, key: Uint8Array, { now }: Pick<Io, 'now'>): Speaker {
  return { agent, sign: (call) => signCall({ agent, key, now, random: randomBytes }, call) };
}

function given(agent: string | undefined): Speaker {
  return agent === undefined ? {} : { agent };
}

/** Another user's home is no error here: the agent then asks without a key and is told if it needs one. */
function ownKey(path: string): Uint8Array | null {
  try {
    return readKeyFile(path, ownUid());
  } catch {
    return null;
  }
}

/** What can be part of a file's name and of an agent's. */
function isPlain(agent: string): boolean {
  return /^[a-z0-9-]{1,40}$/.test(agent);
}
