import type { TrustClaims } from '../../shared/engine/index.ts';

/** The flags that say for whom a request is; each may only lower how far it is trusted. */
export interface ClaimOptions {
  readonly user?: string;
  readonly channel?: string;
  readonly group?: boolean;
}

/**
 * What is said of whom a request is for: by flags, else by INTERLOCK_USER, INTERLOCK_CHANNEL and
 * INTERLOCK_GROUP, which a program that starts agents for others sets for them. Any value of the
 * last but none and `0` stands for a group.
 */
export function claimsFrom(
  options: ClaimOptions,
  env: Readonly<Record<string, string | undefined>>,
): TrustClaims {
  const user = options.user ?? (env['INTERLOCK_USER'] || undefined);
  const channel = options.channel ?? (env['INTERLOCK_CHANNEL'] || undefined);
  const group = options.group === true || !['', '0'].includes(env['INTERLOCK_GROUP'] ?? '');
  return {
    ...(user !== undefined && { user }),
    ...(channel !== undefined && { channel }),
    ...(group && { group }),
  };
}
