/** `state/running/<id>.json`: a command that a runner has started, or was about to start. */
export interface RunningRecord {
  readonly version: 1;
  readonly id: string;
  /** When the runner took it up, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** Null until the command is started. It leads a process group and a session of the same number. */
  readonly pid: number | null;
  /** The leader's start in clock ticks since boot, as the kernel tells it; null where it does not. */
  readonly startTicks: string | null;
  /** Which boot of the machine this was; null where the system does not say. */
  readonly bootId: string | null;
}

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
}
