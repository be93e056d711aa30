import { createHash, timingSafeEqual } from 'node:crypto';

/** The tokens in links: each opens one session, once. Only the newest few are good. */
export interface OneTimeLinks {
  /** A fresh token, 32 random bytes in base64url. */
  issue(): string;
  /** True the first time for a token that is still good; it is spent then. */
  redeem(token: string): boolean;
}

export interface OneTimeLinksOptions {
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
  /** How long an unused link is good, in milliseconds. */
  readonly ttlMs: number;
}

/** A link that was printed and one that was asked for later may both be open in some terminal. */
const mostLinks = 4;

/** Keeps digests only, so that a look at every token takes the same time. */
export function createOneTimeLinks({ now, random, ttlMs }: OneTimeLinksOptions): OneTimeLinks {
  let open: readonly { readonly digest: Buffer; readonly until: number }[] = [];
  return {
    issue: () => {
      const token = Buffer.from(random(32)).toString('base64url');
      open = [...open, { digest: digestOf(token), until: now() + ttlMs }].slice(-mostLinks);
      return token;
    },
    redeem: (token) => {
      const digest = digestOf(token);
      let good = false;
      open = open.filter((link) => {
        const same = timingSafeEqual(link.digest, digest);
        if (same && now() <= link.until) good = true;
        return !same;
      });
      return good;
    },
  };
}

/** sha256 of a secret, for comparing in constant time whatever its length. */
export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
