import { existsSync } from 'node:fs';
import type { HomePaths } from '../../../shared/node/home/paths.ts';
import { CliError } from '../failure.ts';

/** A key outside a home would open nothing. */
export function requireHome({ home }: Pick<HomePaths, 'home'>): void {
  if (existsSync(home)) return;
  throw new CliError(`There is no Interlock home at ${home}.`, 'Run "interlock init" first.');
}
