import type { Clock } from '../base/index.ts';
import { defaultConfig } from '../engine/index.ts';
import type { Config, PolicyDocument } from '../engine/index.ts';
import { systemClock } from './clock.ts';
import { tokenReader } from './approvals-token.ts';
import type { ReadToken } from './approvals-token.ts';
import { readConfigFile } from './config-file.ts';
import type { ConfigFileState } from './config-file.ts';
import { initHome } from './init.ts';
import type { InitOptions, InitResult } from './init.ts';
import { openNamedSecrets } from './named-secrets.ts';
import type { NamedSecrets } from './named-secrets.ts';
import { becomeOwner } from './owner.ts';
import { clientSocket, homePaths, ownUid } from './paths.ts';
import type { HomePaths } from './paths.ts';
import { readPolicyFile, writePolicyFile } from './policy-file.ts';
import type { PolicyFile, ReadOptions, WriteOptions } from './policy-file.ts';
import { openSecretStore } from './secrets.ts';
import type { SecretStore } from './secrets.ts';
import { readStopState } from './stop-state.ts';
import type { StopState } from './stop-state.ts';
import { requireHomeVersion } from './upgrade.ts';

/** One `INTERLOCK_HOME` as this process sees it: where things lie, whose they must be, what they say. */
export interface Home extends HomePaths {
  /** Who we are; whatever belongs to anybody else is refused. */
  readonly uid: number;
  /** The socket of the runner that this user's commands go to. */
  clientSocket(): string;
  /** Makes what is missing, and keeps what is there. Throws `config-invalid` where it is not ours alone. */
  init(now: () => number, first?: Pick<InitOptions, 'host' | 'program'>): Promise<InitResult>;
  /** `config.json` under the one rule of validity. Never throws. */
  readConfig(): ConfigFileState;
  /**
   * For what only shows things and must start all the same: the settings, and where they are not
   * valid the defaults with everything optional turned off. Health says what is wrong with them.
   */
  configOrSafe(): Config;
  /** The policy as it stands on disk. Never throws. */
  readPolicy(options?: Omit<ReadOptions, 'uid'>): PolicyFile;
  /** Replaces the policy if it is still the one that was read; see `writePolicyFile`. */
  writePolicy(
    document: PolicyDocument,
    options: Omit<WriteOptions, 'uid'>,
  ): Promise<{ readonly hash: string }>;
  /** Makes a reader of the approvals token, wherever it stands; see `tokenReader`. */
  tokens(clock?: Clock): ReadToken;
  /** What the stop files say at this moment. */
  stopState(): StopState;
  /** The secret store; the first opening chooses it. */
  openSecrets(clock?: Clock): Promise<SecretStore>;
  /** The secrets that a person keeps by name; the first opening chooses the store. */
  openNamedSecrets(clock?: Clock): Promise<NamedSecrets>;
}

interface OpenHomeOptions {
  /** Root becomes the home's owner first; see `becomeOwner`. */
  readonly asOwner?: boolean;
}

/** The home that the environment names. Opens nothing yet; each question is asked of the disk anew. */
export function openHome(
  env: Readonly<Record<string, string | undefined>>,
  { asOwner = false }: OpenHomeOptions = {},
): Home {
  const paths = homePaths(env);
  // Before anything else: from here on we are somebody else.
  if (asOwner) becomeOwner(paths.home);
  const uid = ownUid();
  const openSecrets = async (clock = systemClock): Promise<SecretStore> =>
    openSecretStore({ home: paths.home, directory: paths.keysDirectory, uid, clock });
  const readConfig = (): ConfigFileState => readConfigFile(paths.config, { uid });
  return {
    ...paths,
    uid,
    clientSocket: () => clientSocket(env, paths),
    init: async (now, first = {}) => initHome(paths, { ...first, uid, now }),
    readConfig,
    configOrSafe: () => {
      const read = readConfig();
      if (read.ok) return read.config;
      return { ...defaultConfig, approvals: { ...defaultConfig.approvals, v1: false } };
    },
    readPolicy: (options) => readPolicyFile(paths.policy, { ...options, uid }),
    writePolicy: async (document, options) => {
      requireHomeVersion({ ...paths, uid });
      return writePolicyFile(paths.policy, document, { ...options, uid });
    },
    stopState: () => readStopState(paths, uid),
    tokens: (clock) =>
      tokenReader({
        document: () => {
          const file = readPolicyFile(paths.policy, { uid, keepLastGood: false });
          return file.ok ? file.document : null;
        },
        openStore: async () => openSecrets(clock),
      }),
    openSecrets,
    openNamedSecrets: async (clock = systemClock) =>
      openNamedSecrets({
        directory: paths.keysDirectory,
        keyDirectory: paths.secretsKeyDirectory,
        uid,
        now: () => clock.now(),
        store: async () => openSecrets(clock),
      }),
  };
}
