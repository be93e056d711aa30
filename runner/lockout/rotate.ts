import type { HomePaths } from '../../shared/node/home/paths.ts';
import type { KeyRotation } from '../../shared/node/lockout/rotate-keys.ts';
import { rotateToken } from '../../shared/node/lockout/rotate-token.ts';

/** What a lockout has made worthless. */
export interface Rotated {
  readonly tokenRotated: boolean;
  readonly keysRotated: number;
  /** Sentences about what could not be done. */
  readonly problems: readonly string[];
}

/** A new approvals token, and no agent with a key any more. Never rejects. */
export async function rotateSecrets(
  paths: Pick<HomePaths, 'policy'>,
  { uid, keys }: { readonly uid: number; readonly keys: KeyRotation },
): Promise<Rotated> {
  const [token, revoked] = await Promise.all([rotateToken(paths, uid), revoke(keys)]);
  const problems = token.rotated ? [] : [`The approvals token was not rotated: ${token.why}`];
  return {
    tokenRotated: token.rotated,
    keysRotated: revoked.count,
    problems: [...problems, ...revoked.problems],
  };
}

async function revoke(
  keys: KeyRotation,
): Promise<{ readonly count: number; readonly problems: readonly string[] }> {
  try {
    return { count: await keys.revokeAll(), problems: [] };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { count: 0, problems: [`The keys of agents were not revoked: ${why}`] };
  }
}
