import type { Entry, LaunchLimits } from '../hosts/sandbox/message.ts';
import type { Begun } from '../hosts/sandbox/report.ts';
import type { KeptCommand } from '../hosts/sandbox/keeper.ts';
import type { BoxKeeper } from '../../shared/home/index.ts';

/** What makes boxes that stay: one meaning for all that may build them. */
export interface BoxRuntime {
  readonly name: 'kernel';
  /** Why there is none on this machine, as a sentence; null where there is. */
  readonly problem: () => Promise<string | null>;
  /** Makes a box, which outlives this process. Throws a refusal where it cannot be made; then nothing of it is left. */
  readonly create: (spec: BoxSpec) => Promise<CreatedBox>;
  /** Whether it runs, by the kernel's word. */
  readonly runs: (name: string, keeper: BoxKeeper | null) => boolean;
  /** Starts a command in a box that runs; null where it does not run any more. */
  readonly exec: (name: string, command: BoxCommand) => BoxExec | null;
  /** Ends it: all in it are asked first where there is a grace. Settles when nothing of it is left; false where something is. */
  readonly destroy: (name: string, keeper: BoxKeeper | null, graceMs: number) => Promise<boolean>;
}

export interface BoxSpec {
  readonly name: string;
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
}
