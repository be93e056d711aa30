import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { s } from '../base/index.ts';
import type { Static } from '../base/index.ts';

/** `state/running/<id>.json`: a command that a runner has started, or was about to start. */
const runIdShape = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

export const runningRecordSchema = s.object({
  version: s.literal(1),
  id: s.string({ pattern: runIdShape.source }),
  /** When the runner took it up, in milliseconds since the epoch. */
  startedAt: s.number(),
  /** Null until the command is started. It leads a process group and a session of the same number. */
  pid: s.nullable(s.integer({ minimum: 2 })),
  /** The leader's start in clock ticks since boot, as the kernel tells it; null where it does not. */
  startTicks: s.nullable(s.string({ pattern: '^[0-9]{1,20}$' })),
  /** Which boot of the machine this was; null where the system does not say. */
  bootId: s.nullable(s.string({ maxLength: 64 })),
});
export type RunningRecord = Static<typeof runningRecordSchema>;

/** What the folder of records says. A file that cannot be read still names its command. */
export interface FoundRecords {
  readonly records: readonly RunningRecord[];
  /** Ids of records that are empty, cut off or damaged. */
  readonly damaged: readonly string[];
}

/** One process as the system lists it. Zombies are not listed. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The same as `group` where the system does not tell. */
  readonly session: number;
  /** Clock ticks since boot; null where the system gives a time instead. */
  readonly startTicks: string | null;
  /** Milliseconds since the epoch, to the second; null where the system gives ticks instead. */
  readonly startedAt: number | null;
  /** Id of the command that it comes from, by its mark; null where there is none or it is hidden. */
  readonly runId: string | null;
  /** Tag of the home whose runner started that command, by the same mark. */
  readonly homeTag: string | null;
}

/** Writes the records of one runner. */
export interface RunningRecords {
  /** Before the start. Throws when it cannot be written: then the command must not be started. */
  begin(id: string): void;
  started(id: string, pid: number): void;
  /** Nothing of the command is left. */
  ended(id: string): void;
  /** The same, in a moment: nobody waits for the disk. Nothing else may begin under this id. */
  endedForGood(id: string): void;
}

/** Variables that mark every process which comes from a command of a runner. */
export const runVariable = 'INTERLOCK_RUN_ID';
export const homeVariable = 'INTERLOCK_RUN_HOME';

/** Tells the homes of one machine apart without naming their folders. */
export function homeTag(home: string): string {
  return createHash('sha256').update(home).digest('hex').slice(0, 16);
}

/**
 * Every process of this machine. On Linux from procfs, with the marks of those that we may look
 * into; elsewhere from `ps`, without marks and sessions.
 */
export function listProcesses(): readonly ProcessEntry[] {
  return process.platform === 'linux' ? linuxProcesses('/proc') : psProcesses(psText());
}

/**
 * Lists once for all who look in the same turn of the event loop: when hundreds of commands are stopped
 * at once, a look for each of them would keep the runner from everything else for seconds.
 */
export function lookTogether(list: () => readonly ProcessEntry[]): () => readonly ProcessEntry[] {
  let known: readonly ProcessEntry[] | null = null;
  return () => {
    if (known === null) {
      known = list();
      setImmediate(() => {
        known = null;
      });
    }
    return known;
  };
}

/** `proc`: where procfs is mounted. A process that ends while we look is left out. */
function linuxProcesses(proc: string): readonly ProcessEntry[] {
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

/** What `/proc/<pid>/stat` says of a process. */
interface ProcStat {
  readonly name: string;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot. */
  readonly startTicks: string;
}

/** Reads proc(5)'s `42 (some name) S 7 …`; null for anything else. */
export function parseStat(text: string): ProcStat | null {
  // The name may itself hold brackets and spaces.
  const closed = text.lastIndexOf(')');
  const name = text.slice(text.indexOf('(') + 1, closed);
  const fields = text.slice(closed + 2).split(' ');
  const [state, ...numbers] = fields;
  const [parent = NaN, group = NaN, session = NaN] = numbers.slice(0, 3).map(Number);
  const startTicks = fields[19];
  if (closed < 0 || state === undefined || startTicks === undefined) return null;
  return { name, state, parent, group, session, startTicks };
}

function statOf(proc: string, pid: number): ProcStat | null {
  try {
    return parseStat(readFileSync(`${proc}/${pid}/stat`, 'latin1'));
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
function psProcesses(text: string): readonly ProcessEntry[] {
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

export interface Machine {
  readonly processes: readonly ProcessEntry[];
  readonly bootId: string | null;
  /** A process that must never be named, such as our own; its ancestors are spared as well. */
  readonly spare: number;
}

/** `ps` tells seconds, and a record is written a moment before the start. */
const startToleranceMs = 3_000;

/**
 * The processes that come from recorded commands: the leader when its start is the recorded one,
 * its process group and session, what carries the command's mark, and all that these have started.
 * A number that the system has given to somebody else since then is never among them: a group
 * counts only while its leader or a marked member vouches for it.
 */
export function processesOf(found: FoundRecords, machine: Machine): readonly ProcessEntry[] {
  const here = found.records.filter(
    ({ bootId }) => bootId === null || machine.bootId === null || bootId === machine.bootId,
  );
  const ids = new Set([...here.map(({ id }) => id), ...found.damaged]);
  const marked = machine.processes.filter(({ runId }) => runId !== null && ids.has(runId));
  const groups = new Set(
    here.flatMap((record) => (isVouchedFor(record, machine.processes) ? [record.pid] : [])),
  );
  const members = machine.processes.filter(
    ({ group, session }) => groups.has(group) || groups.has(session),
  );
  return withDescendants([...marked, ...members], machine);
}

/** The processes that come from any command of one home's runners, by their mark. */
export function processesOfHome(tag: string, machine: Machine): readonly ProcessEntry[] {
  return withDescendants(
    machine.processes.filter((entry) => entry.homeTag === tag),
    machine,
  );
}

function isVouchedFor(record: RunningRecord, processes: readonly ProcessEntry[]): boolean {
  const { pid, id } = record;
  if (pid === null) return false;
  return processes.some(
    (entry) =>
      (entry.pid === pid && isSameStart(record, entry)) ||
      (entry.runId === id && (entry.group === pid || entry.session === pid)),
  );
}

function isSameStart(record: RunningRecord, entry: ProcessEntry): boolean {
  if (entry.startTicks !== null || record.startTicks !== null)
    return entry.startTicks === record.startTicks;
  if (entry.startedAt === null) return false;
  return Math.abs(entry.startedAt - record.startedAt) <= startToleranceMs;
}

/** Processes with all that they have started, less those to be spared. */
function withDescendants(
  roots: readonly ProcessEntry[],
  { processes, spare }: Machine,
): readonly ProcessEntry[] {
  const spared = ancestors(spare, processes);
  const found = new Map(roots.map((entry) => [entry.pid, entry]));
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const entry of processes) if (found.has(entry.parent)) found.set(entry.pid, entry);
  }
  return [...found.values()].filter(({ pid }) => pid > 1 && !spared.has(pid));
}

function ancestors(pid: number, processes: readonly ProcessEntry[]): ReadonlySet<number> {
  const parents = new Map(processes.map((entry) => [entry.pid, entry.parent]));
  const chain = new Set<number>();
  for (let next: number | undefined = pid; next !== undefined && !chain.has(next);) {
    chain.add(next);
    next = parents.get(next);
  }
  return chain;
}

export interface FinderOptions {
  /** The machine as it is at this moment. */
  readonly look: () => Machine;
  readonly pick: (machine: Machine) => readonly ProcessEntry[];
}

/**
 * Finds what `pick` names. A process that was named stays named for as long as
 * it lives: what escaped into a session of its own without its mark is known only by its parent,
 * which may be gone when we look again.
 */
export function createFinder({ look, pick }: FinderOptions): () => readonly ProcessEntry[] {
  const seen = new Map<number, string>();
  return () => {
    const machine = look();
    const known = machine.processes.filter((entry) => seen.get(entry.pid) === startOf(entry));
    const found = withDescendants([...known, ...pick(machine)], machine);
    for (const entry of found) seen.set(entry.pid, startOf(entry));
    return found;
  };
}

function startOf({ startTicks, startedAt }: ProcessEntry): string {
  return `${startTicks ?? ''} ${startedAt ?? ''}`;
}

export interface StopProcessesOptions {
  /** Looks anew at each call; every signal goes to what was found a moment before. */
  readonly find: () => readonly ProcessEntry[];
  /** Between SIGTERM and SIGKILL, in milliseconds. */
  readonly graceMs: number;
  /** Throws when the process is gone or not ours to signal. `process.kill` fits. */
  readonly kill?: (pid: number, signal: NodeJS.Signals) => unknown;
  /** For tests; a timer that keeps the process alive when absent. */
  readonly sleep?: (ms: number) => Promise<void>;
}

interface StoppedProcesses {
  /** Processes that were sent SIGTERM. */
  readonly signalled: number;
  /** Process ids that are there all the same, such as those of another user. */
  readonly left: readonly number[];
}

const stepMs = 25;
/** Something may start others while it is being killed. */
const killRounds = 20;

/** SIGTERM to everything now, SIGKILL after the grace to what is still there. */
export async function stopProcesses(options: StopProcessesOptions): Promise<StoppedProcesses> {
  const { find, graceMs, sleep = wait } = options;
  const first = find();
  signal(first, 'SIGTERM', options);
  let left = first;
  for (let waited = 0; left.length > 0 && waited < graceMs; waited += stepMs) {
    await sleep(stepMs);
    left = find();
  }
  for (let round = 0; left.length > 0 && round < killRounds; round += 1) {
    signal(left, 'SIGKILL', options);
    await sleep(stepMs);
    left = find();
  }
  return { signalled: first.length, left: left.map(({ pid }) => pid) };
}

function signal(
  entries: readonly ProcessEntry[],
  name: NodeJS.Signals,
  { kill = (pid, text) => process.kill(pid, text) }: StopProcessesOptions,
): void {
  for (const { pid } of entries)
    try {
      kill(pid, name);
    } catch {
      // Gone already, or somebody else's: what is left is counted at the end.
    }
}

async function wait(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
