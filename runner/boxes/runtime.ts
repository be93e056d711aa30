import type { BoxRuntimeName } from '../../shared/engine/index.ts';
import type { BoxKeeper } from '../../shared/home/index.ts';
import type { KeptCommand } from '../hosts/sandbox/keeper.ts';
import type { Entry, LaunchLimits } from '../hosts/sandbox/message.ts';
import type { Begun } from '../hosts/sandbox/report.ts';

/**
 * Boxes that stay, whoever builds them. A process of ours keeps each of them: it listens at a socket
 * that is ours alone, starts what is brought there, and all in the box ends with it.
 */
export interface BoxRuntime {
  /** Why one of them can make none on this machine, as a sentence; null where it can. */
  readonly problem: (runtime: BoxRuntimeName) => Promise<string | null>;
  /** The same as far as it can be seen at once. Whether the rest is there, `create` finds out. */
  readonly lacks: (runtime: BoxRuntimeName) => string | null;
  /** Makes a box, which outlives this process. Throws a refusal where it cannot be made; then nothing of it is left. */
  readonly create: (spec: BoxSpec) => Promise<CreatedBox>;
  /** Whether it runs, by the kernel's word. */
  readonly runs: (name: string, keeper: BoxKeeper | null) => boolean;
  /** Starts a command in a box that runs; null where it does not run any more. */
  readonly exec: (name: string, command: BoxCommand) => BoxExec | null;
  /** The proxy's listener of a box that runs, as a descriptor; null where it has none, or does not run. */
  readonly listener: (name: string) => number | null;
  /** Ends it: all in it are asked first where there is a grace. Settles when nothing of it is left; false where something is. */
  readonly destroy: (name: string, keeper: BoxKeeper | null, graceMs: number) => Promise<boolean>;
  /**
   * Lets go of what a box that has ended leaves, also one that a crash has ended.
   *
   * @param groups `cgroup.procs` files of it, as far as they are known
   */
  readonly clear: (name: string, groups?: readonly string[]) => Promise<void>;
}

/** What builds boxes and starts their keepers. */
export interface BoxBuilder {
  readonly problem: () => Promise<string | null>;
  readonly lacks: () => string | null;
  /** Builds the box of a keeper that is given this socket, which listens. As `create` of the runtime. */
  readonly build: (spec: BoxSpec, socket: KeeperSocket) => Promise<CreatedBox>;
  /** Lets go of what is this one's own of a box that has ended; also where another one has built the box. */
  readonly clear: (name: string) => Promise<void>;
}

export interface KeeperSocket {
  readonly path: string;
  /** Kept open by whoever gave it. */
  readonly descriptor: number;
}

export interface BoxSpec {
  readonly name: string;
  readonly runtime: BoxRuntimeName;
  readonly uid: number;
  readonly gid: number;
  readonly entries: readonly Entry[];
  readonly limits: LaunchLimits;
  /** `full`: the machine's own. Every other has a network of its own, and in it the proxy's port. */
  readonly network: 'none' | 'restricted' | 'full';
  /** Of all in it together. */
  readonly memory: number;
}

export interface CreatedBox {
  readonly keeper: BoxKeeper;
  /** `cgroup.procs` files. */
  readonly groups: readonly string[];
  /** What the first process says of itself. */
  readonly held: (Begun & { readonly ok: true })['held'];
}

export interface BoxCommand {
  readonly uid: number;
  readonly gid: number;
  readonly network: BoxSpec['network'];
  readonly cwd: string;
  /** Absolute path inside. */
  readonly file: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A terminal that becomes the command's own, kept open here; else what it writes is read. */
  readonly terminal?: number;
  /** A descriptor that it writes all to, kept open here; then nothing of that is read. */
  readonly output?: number;
  /** Whether it is given an input. */
  readonly takesInput?: boolean;
}

export interface BoxExec extends KeptCommand {
  /** What it writes; null where that goes to a descriptor of its own. */
  readonly stdout: NodeJS.ReadableStream | null;
  readonly stderr: NodeJS.ReadableStream | null;
  /** Lets go of the box, and leaves in it what runs. */
  readonly close: () => void;
}

export interface RuntimeOptions {
  readonly launcher: string;
  readonly uid: number;
  /** Stand in for the programs of engines; for tests. */
  readonly programs?: Partial<Readonly<Record<BoxRuntimeName, string>>>;
}
