/**
 * What the launcher is told, as it reads it (`launcher/plan.h`). It travels on a descriptor: words on
 * a command line can be read by everybody on the machine.
 */

/** Something in the new root, or, for `rights`, a path and what may be done with it. */
export type Entry =
  | { readonly kind: 'directory'; readonly target: string }
  | { readonly kind: 'link'; readonly target: string; readonly to: string }
  /** Where something is already, only without content: it hides what is there. */
  | { readonly kind: 'file'; readonly target: string; readonly content: string }
  | {
      readonly kind: 'tmpfs';
      readonly target: string;
      readonly options: string;
      /** The one of its box, which its commands have in common. Nothing else is put into it. */
      readonly shared?: boolean;
    }
  | {
      readonly kind: 'bind';
      readonly target: string;
      /** A path none of whose parts is a link. */
      readonly source: string;
      readonly writable?: boolean;
      /** Left out where there is no such source. */
      readonly ifPresent?: boolean;
      /** The source lies where only the runner gets to, whoever the command is. */
      readonly ours?: boolean;
      /** What the source must be; absent: whatever is there. */
      readonly identity?: FileNumber;
    }
  | {
      readonly kind: 'overlay';
      readonly target: string;
      readonly lower: string;
      /** Lies, with `work`, where only the runner gets to, whoever the command is. */
      readonly upper: string;
      readonly work: string;
      /** Shows what is in `upper` over `lower`, and takes nothing more. */
      readonly readOnly?: boolean;
    }
  | {
      readonly kind: 'rights';
      readonly target: string;
      readonly read?: boolean;
      readonly execute?: boolean;
      readonly write?: boolean;
      readonly ifPresent?: boolean;
      /** What the path must still be; absent: whatever is there. */
      readonly identity?: FileNumber;
    };

/** A file by its numbers, which no other has while it is there. */
export interface FileNumber {
  readonly device: number;
  readonly inode: number;
}

/** Each 0 where the system's own limit is to hold. */
export interface LaunchLimits {
  readonly processes: number;
  /** Bytes of data that one process may have. */
  readonly memory: number;
  /** Bytes of one file. */
  readonly fileSize: number;
  readonly cpuSeconds: number;
  readonly openFiles: number;
}

/** One launch in full. */
export interface LaunchPlan {
  /**
   * `box`: namespaces and a root of its own. `hold`: Landlock in the process itself. `inside`: the
   * first process of a box that another program has built from the same entries. `join`: a root of
   * its own in a box that is kept. `bare`: as it is, by a spawner.
   */
  readonly mode: 'box' | 'hold' | 'inside' | 'join' | 'bare';
  /** With `join`: descriptor 0 becomes its controlling terminal. */
  readonly terminal?: boolean;
  /** Whose rights the command has. */
  readonly uid: number;
  readonly gid: number;
  /** The process whose end ends the command; 0 where it may live on. */
  readonly parent: number;
  /** No connection to anything outside. */
  readonly noNetwork: boolean;
  /**
   * A port on the box's own loopback, with `noNetwork`: the launcher opens it and hands the socket
   * out on its descriptor 7, a channel of Node's. Absent: none.
   */
  readonly proxyPort?: number;
  /** The launcher's descriptor 5 becomes the command's 3. */
  readonly tells: boolean;
  readonly limits: LaunchLimits;
  readonly cwd: string;
  /** Absolute path of the program. */
  readonly file: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly entries: readonly Entry[];
  /** Files of control groups into which the first process writes itself, as `0`. */
  readonly groups: readonly string[];
}

/**
 * What is kept to start commands: a box for them (`keep`, `named`; `first`: a named one in a container
 * that another program has built), or nothing but a process (`start`).
 */
export interface KeeperPlan extends Pick<
  LaunchPlan,
  'uid' | 'gid' | 'parent' | 'noNetwork' | 'groups' | 'proxyPort'
> {
  readonly mode: 'keep' | 'start' | 'named' | 'first';
  /** What its commands have in common: folders in memory for `keep`, the whole root for `named`. */
  readonly entries: readonly Entry[];
  /** Of `named` and `first`: what holds for each of its commands, whoever brings it. */
  readonly limits?: LaunchLimits;
  /** Of `named`: what it calls itself. */
  readonly hostname?: string;
}

const modes = {
  box: 1,
  hold: 2,
  inside: 3,
  keep: 4,
  join: 5,
  start: 6,
  bare: 7,
  named: 8,
  first: 9,
} as const;
const flag = {
  writable: 1,
  executable: 2,
  ifPresent: 4,
  readable: 8,
  ours: 16,
  shared: 32,
} as const;

/** The plan as bytes. Throws a `TypeError` for text with a zero character, which would end it early. */
export function encodePlan(plan: LaunchPlan): Buffer {
  return Buffer.concat([
    ...begin(plan, plan.tells, plan.terminal),
    ...portOf(plan),
    field('L', limitsOf(plan.limits).map(u64)),
    field('C', [text(plan.cwd)]),
    field('X', [text(plan.file)]),
    field('A', plan.argv.map(text)),
    field(
      'V',
      Object.entries(plan.env).map(([name, value]) => text(`${name}=${value}`)),
    ),
    ...plan.groups.map((path) => field('G', [text(path)])),
    ...plan.entries.map((entry) => field('E', entryOf(entry))),
  ]);
}

function portOf({ proxyPort }: Pick<LaunchPlan, 'proxyPort'>): readonly Buffer[] {
  return proxyPort === undefined ? [] : [field('N', [u32(proxyPort)])];
}

/** The plan of a keeper as bytes. */
export function encodeKeeperPlan(plan: KeeperPlan): Buffer {
  return Buffer.concat([
    ...begin(plan, false),
    ...portOf(plan),
    ...(plan.hostname === undefined ? [] : [field('H', [text(plan.hostname)])]),
    ...(plan.limits === undefined ? [] : [field('L', limitsOf(plan.limits).map(u64))]),
    ...plan.groups.map((path) => field('G', [text(path)])),
    ...plan.entries.map((entry) => field('E', entryOf(entry))),
  ]);
}

function begin(
  {
    mode,
    noNetwork,
    uid,
    gid,
    parent,
  }: Pick<LaunchPlan, 'uid' | 'gid' | 'parent' | 'noNetwork'> & {
    readonly mode: keyof typeof modes;
  },
  tells: boolean,
  terminal = false,
): readonly Buffer[] {
  const flags = (noNetwork ? 1 : 0) | (tells ? 2 : 0) | (terminal ? 4 : 0);
  const who = [Buffer.from([modes[mode], flags]), u32(uid), u32(gid), u32(parent)];
  return [Buffer.from('ILKBOX01'), field('W', who)];
}

/** A packet for a keeper (`launcher/frame.h`); descriptors go with the first kind. */
export function encodeFrame(
  frame:
    | { readonly kind: 'run'; readonly command: number; readonly tells: boolean }
    | { readonly kind: 'signal'; readonly command: number; readonly signal: number }
    | { readonly kind: 'listener' }
    | { readonly kind: 'end'; readonly signal: number },
): Buffer {
  const letter = { run: 'R', signal: 'S', listener: 'L', end: 'E' }[frame.kind];
  const tells = frame.kind === 'run' && frame.tells;
  const head = Buffer.from([letter.charCodeAt(0), tells ? 1 : 0, 0, 0]);
  const command = 'command' in frame ? frame.command : 0;
  return Buffer.concat([head, u32(command), u32('signal' in frame ? frame.signal : 0)]);
}

function limitsOf(limits: LaunchLimits): readonly number[] {
  return [limits.processes, limits.memory, limits.fileSize, limits.cpuSeconds, limits.openFiles];
}

function entryOf(entry: Entry): readonly Buffer[] {
  const head = (letter: string, flags = 0, identity?: FileNumber): readonly Buffer[] => [
    Buffer.from(letter),
    u32(flags),
    u64(identity?.device ?? 0),
    u64(identity?.inode ?? 0),
    text(entry.target),
  ];
  switch (entry.kind) {
    case 'directory':
      return head('d');
    case 'link':
      return [...head('l'), text(entry.to)];
    case 'file':
      return [...head('f'), text(entry.content)];
    case 'tmpfs':
      return [...head('t', entry.shared === true ? flag.shared : 0), text(entry.options)];
    case 'bind': {
      const flags =
        (entry.writable === true ? flag.writable : 0) |
        (entry.ifPresent === true ? flag.ifPresent : 0) |
        (entry.ours === true ? flag.ours : 0);
      return [...head('b', flags, entry.identity), text(entry.source)];
    }
    case 'overlay':
      return [
        ...head('o', flag.ours | (entry.readOnly === true ? 0 : flag.writable)),
        ...[entry.lower, entry.upper, entry.work].map(text),
      ];
    case 'rights':
      return head('r', flagsOfRights(entry), entry.identity);
    default:
      throw new TypeError('an unknown kind of entry');
  }
}

function flagsOfRights(entry: Extract<Entry, { kind: 'rights' }>): number {
  return (
    (entry.read === true ? flag.readable : 0) |
    (entry.execute === true ? flag.executable : 0) |
    (entry.write === true ? flag.writable : 0) |
    (entry.ifPresent === true ? flag.ifPresent : 0)
  );
}

function field(tag: string, parts: readonly Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(tag), u32(value.length), value]);
}

function u32(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
}

function u64(number: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(number));
  return bytes;
}

function text(value: string): Buffer {
  if (value.includes('\0')) throw new TypeError('a word for the launcher holds a zero character');
  return Buffer.from(`${value}\0`);
}
