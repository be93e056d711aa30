import { createHash } from 'node:crypto';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Layer, Owner } from './root.ts';

/**
 * Where boxes keep what they write into caches: a layer for each workspace, cache and command that
 * runs at the same time, because two kernels' views of one layer would spoil it. A layer is used
 * again by the next command, so that a second install finds what the first one fetched.
 */
export interface Layers {
  /** The layers of one command until `release`. */
  readonly take: (workspace: string, owner: Owner) => TakenLayers;
}

interface TakenLayers {
  readonly layerOf: (cache: string) => Layer;
  readonly release: () => void;
}

/** Layers below a folder of ours. */
export function createLayers(directory: string, uid: number): Layers {
  const taken = new Map<string, Set<number>>();
  const made = new Set<string>();
  const make = (path: string, owner: Owner): void => {
    if (made.has(path)) return;
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (uid === 0 && owner.uid !== 0) chownSync(path, owner.uid, owner.gid);
    made.add(path);
  };
  return {
    take: (workspace, owner) => {
      const key = short(`${owner.uid}\0${workspace}`);
      const slots = taken.get(key) ?? new Set();
      taken.set(key, slots);
      let slot = 0;
      while (slots.has(slot)) slot += 1;
      slots.add(slot);
      return {
        layerOf: (cache) => {
          const folder = join(directory, key, String(slot), short(cache));
          const layer = { upper: join(folder, 'upper'), work: join(folder, 'work') };
          for (const path of Object.values(layer)) make(path, owner);
          return layer;
        },
        release: () => slots.delete(slot),
      };
    },
  };
}

function short(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
