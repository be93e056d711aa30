import { lstatSync } from 'node:fs';
import { RefusalError } from '../../shared/base/index.ts';
import type { Clock, Refusal } from '../../shared/base/index.ts';
import type { Config, PolicyDocument } from '../../shared/engine/index.ts';
import {
  fleetStateBeside,
  managedStamp,
  privateDirectoryProblem,
  readConfigFile,
  readPolicyFile,
  trustedProjectsBeside,
  watchFile,
} from '../../shared/home/index.ts';
import type { ConfigFileState, PolicyFile } from '../../shared/home/index.ts';

interface PolicyStoreOptions {
  readonly path: string;
  /** The folder that must stay ours alone; not looked at when absent. */
  readonly home?: string;
  readonly uid: number;
  readonly clock: Clock;
}

/** The policy file, as fresh as its last change. */
export interface PolicyStore {
  current(): PolicyFile;
  /** Throws `config-invalid` while the file is not valid: then nothing is allowed. */
  document(): PolicyDocument;
  onChange(listener: () => void): void;
  dispose(): void;
}

/**
 * Reads the policy when its file has changed. Who asks for it gets the change at once; who only
 * listens hears of it through a watch.
 */
export function createPolicyStore({ path, home, uid, clock }: PolicyStoreOptions): PolicyStore {
  const listeners: (() => void)[] = [];
  // Whoever can write to the folder can put another policy there, whatever the mode of the file.
  const look = (): string =>
    home === undefined ? stampOf(path) : `${stampOf(path)} ${modeOf(home)}`;
  const read = (): PolicyFile => {
    const problem = home === undefined ? null : privateDirectoryProblem(home, { uid });
    return problem === null
      ? readPolicyFile(path, { uid })
      : { ok: false, problem, hash: null, missing: false };
  };
  let stamp = look();
  let file = read();
  const current = (): PolicyFile => {
    const now = look();
    if (now === stamp) return file;
    stamp = now;
    file = read();
    for (const listener of listeners) listener();
    return file;
  };
  const stopWatching = watchFile(path, { look: current, clock });
  return {
    current,
    document: () => {
      const now = current();
      if (!now.ok) throw new RefusalError(now.problem);
      return now.document;
    },
    onChange: (listener) => void listeners.push(listener),
    dispose: stopWatching,
  };
}

function modeOf(folder: string): string {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats === undefined ? 'gone' : `${String(stats.uid)} ${String(stats.mode)}`;
}

/** Changes whenever anything about the file does, its owner and mode among them. */
function stampOf(path: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

export interface ConfigStore {
  /** Throws `config-invalid` while the file is not valid. */
  current(): Config;
  /** Null when the file is valid. */
  problem(): Refusal | null;
}

/** `config.json`, read again when it has changed. Without a file the defaults hold. */
export function createConfigStore(path: string, uid: number): ConfigStore {
  const others = [trustedProjectsBeside(path), fleetStateBeside(path)];
  const look = (): string => [stampOf(path), managedStamp(), ...others.map(stampOf)].join(' ');
  let stamp = look();
  let loaded = readConfigFile(path, { uid });
  const load = (): ConfigFileState => {
    const now = look();
    if (now !== stamp) {
      stamp = now;
      loaded = readConfigFile(path, { uid });
    }
    return loaded;
  };
  return {
    current: () => {
      const now = load();
      if (!now.ok) throw new RefusalError(now.problem);
      return now.config;
    },
    problem: () => {
      const now = load();
      return now.ok ? null : now.problem;
    },
  };
}
