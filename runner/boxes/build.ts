import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rmdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuse } from '../../shared/base/index.ts';
import { readBootId, startTicksOf } from '../../shared/home/index.ts';
import type { BoxKeeper } from '../../shared/home/index.ts';
import type { Groups } from '../hosts/sandbox/groups.ts';
import { launchRefusal } from '../hosts/sandbox/launch.ts';
import { encodeKeeperPlan } from '../hosts/sandbox/message.ts';
import type { KeeperPlan } from '../hosts/sandbox/message.ts';
import { readReport } from '../hosts/sandbox/report.ts';
import type { Begun } from '../hosts/sandbox/report.ts';
import type { BoxSpec } from './runtime.ts';

/** What builders of boxes have in common. */

/** Where the proxy listens on a box's own loopback. */
export const proxyPort = 3_128;

export const endMs = 5_000;
const longestStepMs = 20;

/** Looks now and then until something holds; false where it does not in that time, in milliseconds. */
export async function until(isDone: () => boolean, mostMs: number): Promise<boolean> {
  let step = 1;
  for (let waited = 0; waited < mostMs; waited += step) {
    if (isDone()) return true;
    // A timer that keeps this process alive: nothing else may be there to wait for.
    await sleep(step);
    step = Math.min(step * 2, longestStepMs);
  }
  return isDone();
}

/** The plan of a box for its keeper: what builders have in common, and what is this one's own. */
export function planOf(
  { uid, gid, network, limits }: BoxSpec,
  own: Pick<KeeperPlan, 'mode' | 'groups' | 'entries' | 'hostname'>,
): Buffer {
  const isApart = network !== 'full';
  const plan = { uid, gid, parent: 0, noNetwork: isApart, limits, ...own };
  return encodeKeeperPlan({ ...plan, ...(isApart && { proxyPort }) });
}

/** A refusal for a box that something of this machine is missing for. */
export function noResource(why: string): Error {
  return refuse('host-unavailable', `${why} No box was made.`, 'See interlock sandbox status.');
}

/** The control group of a box, by its socket: homes have boxes of the same name. */
export function groupOf(socket: string): string {
  return `box-${createHash('sha256').update(socket).digest('hex').slice(0, 16)}`;
}

/** Removes the groups of a box that has ended: its own, and those that were written down of it. */
export async function clearGroups(
  groups: Groups,
  socket: string,
  files: readonly string[],
): Promise<void> {
  // The kernel takes a moment to let go of a group whose processes have ended.
  if (groups.ok) await until(groups.known(groupOf(socket)).remove, endMs);
  for (const file of files) {
    try {
      rmdirSync(dirname(file));
    } catch {
      // It is gone, or somebody else's by now.
    }
  }
}

/**
 * Starts what becomes a keeper or leads to one, apart from this process, and hears how that goes.
 *
 * @param plan what it reads on descriptor 3; it answers on 4
 * @param socket its descriptor 5
 * @param given its variables, and a descriptor for what else it says; none where they are left out
 */
export async function startKeeper(
  [program, ...words]: readonly [string, ...string[]],
  plan: Uint8Array,
  socket: number,
  given: { readonly env?: Readonly<Record<string, string>>; readonly words?: number } = {},
): Promise<{ readonly pid: number | undefined; readonly begun: Begun }> {
  const child = spawn(program, words, {
    cwd: '/',
    env: { ...given.env },
    shell: false,
    detached: true,
    stdio: ['ignore', 'ignore', given.words ?? 'ignore', 'pipe', 'pipe', socket],
  });
  child.on('error', () => {});
  child.unref();
  const wire = child.stdio[3] as Socket;
  wire.on('error', () => {});
  wire.end(plan);
  return { begun: await readReport(child.stdio[4] as Socket).begun, pid: child.pid };
}

/** A process as it is told from a later one with its number. Throws a refusal where it is gone. */
export function keeperAt(pid: number | undefined): BoxKeeper {
  const startTicks = pid === undefined ? null : startTicksOf(pid);
  const bootId = readBootId();
  if (pid === undefined || startTicks === null || bootId === null)
    throw launchRefusal({ ok: false, step: 'keeper', error: 'it ended at once' });
  return { pid, startTicks, bootId };
}
