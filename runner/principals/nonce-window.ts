import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { readPrivateFile, writeFileAtomic } from '../../shared/home/index.ts';
import { refuse } from '../../shared/base/index.ts';

interface NonceWindowOptions {
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
  dispose(): void;
}

const maxBytes = 8 * 1024 * 1024;
const compactAt = 1024 * 1024;

/**
 * The nonces of signed requests, remembered on disk for as long as their timestamp could still be
 * accepted. One line a nonce: `<until> <nonce>`; a line `<until> floor` says up to where nonces were
 * forgotten. What is older than that is not new, so a clock that is set back opens nothing again. A
 * line that a crash cut short is passed over.
 */
export function openNonceWindow(options: NonceWindowOptions): NonceWindow {
  const { path, uid, now } = options;
  const memory = readMemory(path, uid);
  forget(memory, now());
  let file = rewrite(path, memory);
  const compact = (): void => {
    forget(memory, now());
    closeSync(file);
    file = rewrite(path, memory);
  };
  return {
    use: (nonce, until) => {
      if (until <= memory.floor || memory.seen.has(nonce)) return false;
      if (fstatSync(file).size > compactAt) compact();
      writeSync(file, `${until} ${nonce}\n`);
      memory.seen.set(nonce, until);
      return true;
    },
    dispose: () => closeSync(file),
  };
}

interface Memory {
  readonly seen: Map<string, number>;
  /** Nothing that was good until then, or less long, counts as new. */
  floor: number;
}

/** Forgets what is too old to be accepted by its timestamp, and raises the floor to it. */
function forget(memory: Memory, moment: number): void {
  for (const [nonce, until] of memory.seen)
    if (until < moment) {
      memory.seen.delete(nonce);
      memory.floor = Math.max(memory.floor, until);
    }
}

function readMemory(path: string, uid: number): Memory {
  const file = readPrivateFile(path, { uid, maxBytes });
  if (file.kind === 'unsafe')
    throw refuse(
      'config-invalid',
      `${path} ${file.why}.`,
      'Remove it, wait a minute, and start the runner again.',
    );
  const memory: Memory = { seen: new Map(), floor: 0 };
  if (file.kind === 'missing') return memory;
  for (const line of file.text.split('\n')) {
    const match = /^(\d{1,15}) (floor|[A-Za-z0-9_-]{43})$/.exec(line);
    if (match === null) continue;
    const [, until, name = ''] = match;
    if (name === 'floor') memory.floor = Math.max(memory.floor, Number(until));
    else memory.seen.set(name, Number(until));
  }
  return memory;
}

function rewrite(path: string, { seen, floor }: Memory): number {
  const lines = [...seen].map(([nonce, until]) => `${until} ${nonce}\n`);
  writeFileAtomic(path, [`${floor} floor\n`, ...lines].join(''));
  return openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
}
