import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { compile, readJson, s } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import { readPrivateFile } from './files.ts';
import type { RunningRecord } from './processes.ts';

/** The process that keeps a named box, told from any that gets its number later. */
export const boxKeeperSchema = s.object({
  pid: s.integer({ minimum: 2 }),
  /** Its start in clock ticks since boot. */
  startTicks: s.string({ pattern: '^[0-9]{1,20}$' }),
  bootId: s.string({ pattern: '^[0-9a-f-]{36}$' }),
});
export type BoxKeeper = Static<typeof boxKeeperSchema>;

// Whatever else a record says: a lockout ends what it is about.
const check = compile(s.open({ keeper: s.nullable(boxKeeperSchema) }));
const maxBytes = 256 * 1024;

/**
 * Who keeps named boxes, by their records in a folder, as if they were commands that run: all that is
 * in a box ends with its keeper. A missing folder has none; never throws.
 */
export function boxKeepers(directory: string, uid: number): readonly RunningRecord[] {
  return namesIn(directory).flatMap((name) => {
    const file = readPrivateFile(join(directory, name), { uid, maxBytes });
    const checked = file.kind === 'text' ? readJson(check, file.text) : null;
    const keeper = checked?.ok === true ? checked.value.keeper : null;
    if (keeper === null) return [];
    const id = `box-${name.slice(0, -suffix.length)}`;
    return [{ version: 1 as const, id, startedAt: 0, ...keeper }];
  });
}

const suffix = '.json';

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith(suffix));
  } catch {
    return [];
  }
}
