import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { parseStat, runVariable } from '../../shared/home/index.ts';

const run = promisify(execFile);

/** Where a process stands: its parent, its process group and its session. */
export interface Standing {
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

/** Looks at processes; null for one that is gone. */
export interface ProcessView {
  standing(pid: number): Promise<Standing | null>;
  /** Whether the process carries the mark of a command of a runner; false where it cannot be seen. */
  marked(pid: number): boolean;
}

const longestChain = 4096;

/**
 * Whether a process comes from a command of this runner: it is below the runner, in one of the
 * process groups or sessions that the runner opened, or carries the mark. A process that cannot be
 * looked at counts as one.
 */
export async function isOwnDescendant(
  pid: number,
  own: { readonly runner: number; readonly groups: readonly number[] },
  view: ProcessView = systemProcesses(),
): Promise<boolean> {
  if (view.marked(pid)) return true;
  const groups = new Set(own.groups);
  let here = pid;
  for (let steps = 0; steps < longestChain; steps += 1) {
    if (here === own.runner) return true;
    const standing = await view.standing(here);
    if (standing === null) return here === pid;
    if (groups.has(standing.group) || groups.has(standing.session)) return true;
    if (standing.parent <= 1) return false;
    here = standing.parent;
  }
  return true;
}

function systemProcesses(): ProcessView {
  return process.platform === 'linux'
    ? { standing: async (pid) => linuxStanding(pid), marked: linuxMarked }
    : { standing: posixStanding, marked: () => false };
}

function linuxStanding(pid: number): Standing | null {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return null;
  }
}

function linuxMarked(pid: number): boolean {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
    return variables.some((variable) => variable.startsWith(`${runVariable}=`));
  } catch {
    return false;
  }
}

async function posixStanding(pid: number): Promise<Standing | null> {
  try {
    const { stdout } = await run('/bin/ps', ['-o', 'ppid=,pgid=', '-p', String(pid)]);
    const [parent, group] = stdout.trim().split(/\s+/).map(Number);
    return parent === undefined || group === undefined ? null : { parent, group, session: group };
  } catch {
    return null;
  }
}
