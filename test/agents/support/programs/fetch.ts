import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A program of an agent, pinned. */
export interface Pin {
  readonly name: string;
  readonly version: string;
  /** The package of the registry. */
  readonly package: string;
  /** Its program below `node_modules`, for this machine; null where there is none. */
  readonly program: string | null;
  /** Further packages that it needs here, such as a newer Node, with their versions. */
  readonly besides?: readonly string[];
}

/**
 * The pin, or another version of it where `INTERLOCK_AGENT_VERSIONS` (`claude=2.1.331,pi=0.88.0`)
 * says so: that is how a version that is newer than ours is tried.
 */
export function pinFor(pin: Pin, env: Readonly<Record<string, string | undefined>>): Pin {
  const said = (env['INTERLOCK_AGENT_VERSIONS'] ?? '').split(',').map((word) => word.split('='));
  const version = said.find(([name]) => name === pin.name)?.[1];
  return version === undefined ? pin : { ...pin, version };
}

/** The program's absolute path, or why it cannot be had. */
export type Fetched =
  { readonly ok: true; readonly path: string } | { readonly ok: false; readonly why: string };

const cache = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'interlock-test-agents',
);

/** The program from the cache; fetched into it where that is allowed. Never into the checkout. */
export function fetchProgram(pin: Pin, mayFetch: boolean): Fetched {
  if (pin.program === null) return { ok: false, why: 'there is no program for this machine' };
  const folder = join(cache, `${pin.name}-${pin.version}`);
  const there = programIn(folder, { ...pin, program: pin.program });
  if (there !== null) return { ok: true, path: there };
  if (!mayFetch)
    return {
      ok: false,
      why: `it is not in the cache; INTERLOCK_REAL_AGENTS=${pin.name} fetches it`,
    };
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, 'fetching-'));
  const npm = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save'];
  const what = `${pin.package}@${pin.version}`;
  const { status } = spawnSync('npm', [...npm, '--prefix', fresh, what, ...(pin.besides ?? [])], {
    stdio: 'ignore',
    timeout: 300_000,
  });
  if (status === 0 && !existsSync(folder)) renameSync(fresh, folder);
  rmSync(fresh, { recursive: true, force: true });
  const path = programIn(folder, { ...pin, program: pin.program });
  return path !== null
    ? { ok: true, path }
    : { ok: false, why: `the registry did not give ${what} for this machine` };
}

/** Where the pin says; or where the package says, for a version that has moved its program. */
function programIn(folder: string, pin: Pin & { readonly program: string }): string | null {
  const modules = join(folder, 'node_modules');
  const path = join(modules, pin.program);
  if (existsSync(path)) return path;
  const about = join(modules, pin.package, 'package.json');
  if (!existsSync(about)) return null;
  const { bin } = JSON.parse(readFileSync(about, 'utf8')) as {
    readonly bin?: string | Readonly<Record<string, string>>;
  };
  const named = typeof bin === 'string' ? bin : Object.values(bin ?? {})[0];
  const moved = named === undefined ? null : join(modules, pin.package, named);
  return moved !== null && existsSync(moved) ? moved : null;
}
