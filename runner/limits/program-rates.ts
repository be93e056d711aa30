import type { ProgramLimit } from '../../shared/config/types.ts';
import type { Glob } from '../../shared/rules/glob.ts';
import { compileGlob } from '../../shared/rules/glob.ts';
import type { Rate } from './bucket.ts';

export interface ProgramRates {
  readonly rates: readonly { readonly pattern: string; readonly rate: Rate }[];
  /** Every executable has a rate of its own, so the principal's is not used. */
  readonly all: boolean;
}

const compiled = new WeakMap<ProgramLimit, Glob>();

/**
 * The rates of programs that count for a command: for each executable the first limit that matches,
 * each limit once. What has no rate of its own falls to the principal's, so that a fast program in a
 * chain carries nothing past it.
 */
export function programRates(
  limits: readonly ProgramLimit[],
  executables: readonly string[],
): ProgramRates {
  const found = new Set<ProgramLimit>();
  let all = executables.length > 0;
  for (const path of executables) {
    const limit = limits.find((candidate) => matches(candidate, path));
    if (limit === undefined) all = false;
    else found.add(limit);
  }
  const rates = [...found].map(({ pattern, perMinute, burst }) => ({
    pattern,
    rate: { perMinute, burst },
  }));
  return { rates, all };
}

function matches(limit: ProgramLimit, path: string): boolean {
  if (!limit.pattern.includes('/')) return path.slice(path.lastIndexOf('/') + 1) === limit.pattern;
  let glob = compiled.get(limit);
  if (glob === undefined) {
    glob = compileGlob(limit.pattern, { home: '/', ignoreCase: false });
    compiled.set(limit, glob);
  }
  return glob.matches(path);
}
