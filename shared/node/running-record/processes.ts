import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { homeVariable, runVariable } from './mark.ts';
import type { ProcessEntry } from './types.ts';

/**
 * Every process of this machine. On Linux from procfs, with the marks of those that we may look
 * into; elsewhere from `ps`, without marks and sessions.
 */
export function listProcesses(): readonly ProcessEntry[] {
  return process.platform === 'linux' ? linuxProcesses('/proc') : psProcesses(psText());
}

/** `proc`: where procfs is mounted. A process that ends while we look is left out. */
export function linuxProcesses(proc: string): readonly ProcessEntry[] {
  return readdirSync(proc)
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const entry = linuxProcess(proc, Number(name));
      return entry === null ? [] : [entry];
    });
}

/** Start of a process in ticks since boot; null when it is gone or the system does not say. */
export function startTicksOf(pid: number): string | null {
  if (process.platform !== 'linux') return null;
  return statOf('/proc', pid)?.startTicks ?? null;
}

function linuxProcess(proc: string, pid: number): ProcessEntry | null {
  const stat = statOf(proc, pid);
  if (stat === null || stat.state === 'Z' || stat.state === 'X') return null;
  const { parent, group, session, startTicks } = stat;
  return { pid, parent, group, session, startTicks, startedAt: null, ...markOf(proc, pid) };
}

function statOf(proc: string, pid: number) {
  try {
    const text = readFileSync(`${proc}/${pid}/stat`, 'latin1');
    // The name stands in brackets and may itself hold brackets and spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, parent, group, session] = fields;
    const startTicks = fields[19];
    if (state === undefined || startTicks === undefined) return null;
    return {
      state,
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      startTicks,
    };
  } catch {
    return null;
  }
}

function markOf(proc: string, pid: number): Pick<ProcessEntry, 'runId' | 'homeTag'> {
  try {
    const text = readFileSync(`${proc}/${pid}/environ`, 'latin1');
    if (!text.includes(`${runVariable}=`)) return { runId: null, homeTag: null };
    const variables = text.split('\0');
    return { runId: valueOf(variables, runVariable), homeTag: valueOf(variables, homeVariable) };
  } catch {
    return { runId: null, homeTag: null };
  }
}

function valueOf(variables: readonly string[], name: string): string | null {
  return variables.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

function psText(): string {
  return execFileSync('/bin/ps', ['-axo', 'pid=,ppid=,pgid=,state=,lstart='], {
    encoding: 'utf8',
    env: { LC_ALL: 'C' },
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** The lines of `ps -axo pid=,ppid=,pgid=,state=,lstart=` in the C locale. */
export function psProcesses(text: string): readonly ProcessEntry[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+)$/.exec(line);
    if (match === null || match[4]?.startsWith('Z') === true) return [];
    const [pid = 0, parent = 0, group = 0] = match.slice(1, 4).map(Number);
    const startedAt = Date.parse(match[5] ?? '');
    return {
      pid,
      parent,
      group,
      session: group,
      startTicks: null,
      startedAt: Number.isNaN(startedAt) ? null : startedAt,
      runId: null,
      homeTag: null,
    };
  });
}
