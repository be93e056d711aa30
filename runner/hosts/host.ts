import { refuse } from '../../shared/base/index.ts';
import type {
  Execution,
  Hold,
  SandboxOverrides,
  SessionBox,
  ToolPolicy,
} from '../../shared/engine/index.ts';
import type { ExecEvent, ExecRequest } from '../../shared/wire/index.ts';
import type { NodeRunner } from './node.ts';
import type { FileNumber } from './sandbox/message.ts';
import type { Held } from './sandbox/report.ts';

/** A file or folder as it was when somebody looked. */
export interface NamedFile extends FileNumber {
  /** Absolute real path. */
  readonly path: string;
}

/** A hold that also lets some files be read, each only while it is still the same one. */
export interface FileHold extends Hold {
  readonly same?: readonly NamedFile[];
  /** Files may be made, changed and removed there; reading them is another right. */
  readonly into?: readonly string[];
}

/** What a host is told to run. `missing` is a program that was not there when the plan was made. */
export interface HostTask {
  readonly id: string;
  /** Whose command it is. */
  readonly agent: string;
  /** The agent's own name for what it is at; absent where it gave none. */
  readonly session?: string;
  /** Fields of `sandbox` that come with who asks; absent: none. */
  readonly overrides?: SandboxOverrides;
  readonly execution: Execution | { readonly kind: 'missing'; readonly name: string };
  /** Absolute real path. */
  readonly cwd: string;
  /** The caller's variables; a host adds its own and inherits nothing from the runner. */
  readonly env: Readonly<Record<string, string>>;
  /** What the kernel is to hold it to, where the host can; absent: nothing. */
  readonly hold?: FileHold;
  /** It is known to change nothing: a sandbox does not let it then, and prepares less. */
  readonly onlyLooks?: true;
  /** Nobody allowed it: what a sandbox gives is then less. Only hosts that are one take it. */
  readonly unasked?: true;
  /** For the host of brokered tools: what the policy of the tool says. */
  readonly tool?: ToolPolicy;
  /** For the same host: files of a sandbox that the call out of it names; absent: it comes out of none. */
  readonly named?: readonly NamedFile[];
  /** Variables that a host gives it itself, over all others. Only on the way to its process. */
  readonly given?: Readonly<Record<string, string>>;
  /** How what runs in a sandbox asks for a brokered tool; absent: it cannot. */
  readonly asks?: AskForTool;
  /** How its end is to be told; absent: output in two streams, and no folder. */
  readonly telling?: Telling;
}

/**
 * Has a brokered tool run in the name of the agent whose command asks for it, by way of the gate.
 * Settles at its end, which `io` was told of; never rejects.
 */
export type AskForTool = (
  request: Pick<ExecRequest, 'argv' | 'cwd' | 'env' | 'stdin'>,
  io: GateIo,
  starting: Starting,
) => Promise<void>;

/**
 * Called right before a process is made; what it throws is the refusal. Answers which files of its
 * sandbox a brokered tool may read; null where it is not to be held to any.
 */
export type Starting = () => readonly NamedFile[] | null;

/** What the holder of a ticket wants to be told, beside what a command wrote. */
export interface Telling {
  /** Standard output and error as one stream, in order, where the machine allows that. */
  readonly oneStream: boolean;
  /** In which folder shell text ended. */
  readonly folder: boolean;
}

/** How the gate talks back while a request is under way. */
export interface GateIo {
  /** A promise holds the command's output back until it settles. */
  emit(event: ExecEvent): void | Promise<void>;
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
  /** How the end of a command is to be told; what runs does not depend on it. */
  readonly telling?: Telling;
}

export interface RunLimits {
  readonly timeoutMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly killAfterMs: number;
}

export type OutputStream = 'stdout' | 'stderr';

/** How a host and the gate talk while a command runs. */
export interface RunIo {
  readonly stdin: Uint8Array | null;
  /** Aborted when the command has to stop, for whatever reason. */
  readonly signal: AbortSignal;
  started(pid: number): void;
  /** A promise holds the host back: it reads no more of that stream until the promise settles. */
  output(stream: OutputStream, bytes: Uint8Array): void | Promise<void>;
}

export interface RunOutcome {
  /** `stopped` means that the signal was aborted, not that the command killed itself. */
  readonly ending: 'exited' | 'timed-out' | 'stopped';
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** What the kernel held it to; absent where nothing did. */
  readonly hold?: Held;
  /** It looked for other machines in a sandbox that has no network. */
  readonly unreached?: true;
  /** Processes that it started go on in its box. */
  readonly behind?: true;
  /** What it left in the workspace that steers or runs later; absent where nothing. Absolute. */
  readonly planted?: readonly string[];
  /** What a sandbox did not take over from it, or moved aside, in sentences; absent where nothing. */
  readonly notes?: readonly string[];
  /** Absolute; in which folder it ended, where that was to be told and is known. */
  readonly folder?: string;
}

/** A place where commands run. A new kind of place is a new folder beside `gateway`. */
export interface Host {
  readonly name: string;
  /** Whether it can run commands now; a sentence says why not. */
  probe(): Promise<{ readonly ok: true } | { readonly ok: false; readonly problem: string }>;
  /** Rejects with a `RefusalError` when nothing was started. */
  run(task: HostTask, limits: RunLimits, io: RunIo): Promise<RunOutcome>;
  /** Ids of the process groups that were opened here and still have processes. */
  groups(): readonly number[];
  /** SIGTERM to all of them at once, ahead of the stop that each run gets by its own signal. */
  signalAll?(): void;
  /** Kills what ended commands left behind; answers how many groups were signalled. */
  stopStrays(): number;
  /** What commands of a session that nobody was asked about have left running; null where nothing. */
  boxOf?(agent: string, session: string): SessionBox | null;
  /** Other machines that run what is for this host; absent where it runs here. */
  readonly there?: NodeRunner;
  /** The session is over, and what its commands have left running ends. */
  endSession?(agent: string, session: string): void;
}

export interface Hosts {
  /** The host of that name, or a `host-unavailable` refusal. */
  find(name: string): Host;
  all(): readonly Host[];
}

/** The hosts that this runner has. */
export function createHosts(hosts: readonly Host[]): Hosts {
  const byName = new Map(hosts.map((host) => [host.name, host]));
  return {
    find: (name) => {
      const host = byName.get(name);
      if (host === undefined)
        throw refuse(
          'host-unavailable',
          `There is no host "${name}" here.`,
          `Use one of: ${[...byName.keys()].join(', ')}.`,
        );
      return host;
    },
    all: () => hosts,
  };
}
