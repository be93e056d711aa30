import { existsSync } from 'node:fs';
import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { requireHomeVersion, upgradeHome } from '../../shared/home/index.ts';
import type { Home } from '../../shared/home/index.ts';
import { readVersion } from '../version.ts';

/** Throws `config-invalid` where there is no home, or one that this version cannot work on. */
export function requireHome(paths: Home): void {
  const { home } = paths;
  if (existsSync(home)) return requireHomeVersion(paths);
  throw refuse(
    'config-invalid',
    `There is no Interlock home at ${home}.`,
    'Run "interlock init" first.',
  );
}

/** Brings an older home to this version; a sentence where it did. */
export async function bringOn(paths: Home, clock: Clock): Promise<string | null> {
  const program = `interlock ${readVersion()}`;
  const change = await upgradeHome({ ...paths, program, now: () => clock.now() });
  if (change === null) return null;
  const { from, to, backup } = change;
  return `The home had version ${String(from)} and has ${String(to)} now; its backup is ${backup}.`;
}
