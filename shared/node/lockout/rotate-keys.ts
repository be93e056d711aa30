import type { Clock } from '../../clock/types.ts';
import { revokeAgentKeys } from '../agent-keys/revoke.ts';
import type { HomePaths } from '../home/paths.ts';
import { openSecretStore } from '../secrets/open.ts';

/** Takes every agent's key away, and answers how many there were. */
export interface KeyRotation {
  revokeAll(): Promise<number>;
}

/** The keys of a home whose runner does not answer. */
export function homeKeys(
  paths: Pick<HomePaths, 'home' | 'keysDirectory'>,
  { uid, clock }: { readonly uid: number; readonly clock: Clock },
): KeyRotation {
  const { home, keysDirectory: directory } = paths;
  return {
    revokeAll: async () => {
      const secrets = await openSecretStore({ home, directory, uid, clock });
      return revokeAgentKeys({ directory, secrets, uid });
    },
  };
}
