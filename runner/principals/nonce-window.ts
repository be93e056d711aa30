import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { writeFileAtomic } from '../../shared/node/files/atomic-write.ts';
import { readPrivateFile } from '../../shared/node/files/private-file.ts';
import { refuse } from '../../shared/refusal/refusal.ts';

export interface NonceWindowOptions {
  readonly path: string;
  readonly uid: number;
  readonly now: () => number;
}

export interface NonceWindow {
  /**
   * True when the nonce is new. It is in the file when this returns, so a restart does not forget
   * it. Throws when it cannot be written down: then the request must be refused.
   */
  use(nonce: string, until: number): boolean;
  close(): void;
}

const maxBytes = 8 * 1024 * 1024;
const compactAt = 1024 * 1024;

/**
 * The nonces of signed requests, remembered on disk for as long as their timestamp could still be
 * accepted. One line a nonce: `<until> <nonce>`. A line that a crash cut short is passed over.
 */
export function openNonceWindow(options: NonceWindowOptions): NonceWindow {
  const { path, uid, now } = options;
  const seen = readSeen(path, uid, now());
  let file = rewrite(path, seen);
  const compact = (): void => {
    const moment = now();
    for (const [nonce, until] of seen) if (until < moment) seen.delete(nonce);
    closeSync(file);
    file = rewrite(path, seen);
  };
  return {
    use: (nonce, until) => {
      const known = seen.get(nonce);
      if (known !== undefined && known >= now()) return false;
      if (fstatSync(file).size > compactAt) compact();
      writeSync(file, `${until} ${nonce}\n`);
      seen.set(nonce, until);
      return true;
    },
    close: () => closeSync(file),
  };
}

function readSeen(path: string, uid: number, now: number): Map<string, number> {
  const file = readPrivateFile(path, { uid, maxBytes });
  if (file.kind === 'unsafe')
    throw refuse(
      'config-invalid',
      `${path} ${file.why}.`,
      'Remove it, wait a minute, and start the runner again.',
    );
  const seen = new Map<string, number>();
  if (file.kind === 'missing') return seen;
  for (const line of file.text.split('\n')) {
    const match = /^(\d{1,15}) ([A-Za-z0-9_-]{43})$/.exec(line);
    if (match !== null && Number(match[1]) >= now) seen.set(match[2] ?? '', Number(match[1]));
  }
  return seen;
}

function rewrite(path: string, seen: ReadonlyMap<string, number>): number {
  writeFileAtomic(path, [...seen].map(([nonce, until]) => `${until} ${nonce}\n`).join(''));
  return openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
}
