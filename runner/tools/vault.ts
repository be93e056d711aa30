import { messageOf } from '../../shared/base/index.ts';
import { namedSecretsRevision } from '../../shared/home/index.ts';
import type { NamedSecrets } from '../../shared/home/index.ts';
import { knowSecrets } from '../audit/known-secrets.ts';
import type { Log } from '../service/log.ts';

/** The named secrets as the runner holds them: to give them to tools, and to take them out of texts. */
export interface Vault {
  /**
   * Learns what has changed since the last look, so that every value is masked. Costs a look at one
   * small file where nothing has. Never rejects: what was known before is masked on.
   */
  refresh(): Promise<void>;
  /** The store itself. Rejects with a refusal where it cannot be opened. */
  open(): Promise<NamedSecrets>;
}

interface VaultOptions {
  /** `keys` below the home. */
  readonly directory: string;
  readonly uid: number;
  readonly open: () => Promise<NamedSecrets>;
  readonly log: Pick<Log, 'warn'>;
}

/** The vault over the store of this home, which is opened once there is a secret in it. */
export function createVault({ directory, uid, open, log }: VaultOptions): Vault {
  let known = 0;
  let told = '';
  const learn = async (): Promise<void> => {
    const revision = namedSecretsRevision(directory, uid);
    if (revision === known) return;
    const values = await (await open()).values();
    knowSecrets(values.values());
    known = revision;
    told = '';
  };
  return {
    refresh: async () => {
      try {
        await learn();
      } catch (error) {
        const problem = messageOf(error);
        if (problem !== told)
          log.warn(`The secrets cannot be read, so no tool gets one: ${problem}`);
        told = problem;
      }
    },
    open,
  };
}
