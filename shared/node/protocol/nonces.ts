import type { Clock } from '../../clock/types.ts';

/** Remembers nonces for as long as a frame that carries them could still be accepted. */
export interface NonceMemory {
  /**
   * True when the nonce is new; it is then remembered until `until` (milliseconds since the epoch).
   * False when it was used before, and also when the memory is full: better refuse than forget.
   */
  use(nonce: string, until: number): boolean;
  readonly size: number;
}

/** `capacity`: how many nonces are kept at most. */
export function createNonceMemory(clock: Pick<Clock, 'now'>, capacity = 20_000): NonceMemory {
  const seen = new Map<string, number>();
  const forgetOld = (): void => {
    const now = clock.now();
    for (const [nonce, until] of seen) if (until < now) seen.delete(nonce);
  };
  return {
    use(nonce, until) {
      const known = seen.get(nonce);
      if (known !== undefined && known >= clock.now()) return false;
      if (seen.size >= capacity) forgetOld();
      if (seen.size >= capacity) return false;
      seen.set(nonce, until);
      return true;
    },
    get size() {
      return seen.size;
    },
  };
}
