import { execFile } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { displayPlain } from '../../../shared/base/index.ts';
import type { BoxRuntimeName } from '../../../shared/engine/index.ts';
import { isLeftOut, known } from '../../hosts/sandbox/bubblewrap.ts';
import { findGroups } from '../../hosts/sandbox/groups.ts';
import { rootFiles } from '../../hosts/sandbox/root-files.ts';
import { groupOf, keeperAt, noResource, startKeeper, planOf } from '../build.ts';
import type { BoxBuilder, BoxSpec, CreatedBox, KeeperSocket, RuntimeOptions } from '../runtime.ts';
import { nspawnWords, podmanWords, program as firstProgram } from './engines.ts';
import type { ContainerStart } from './engines.ts';
import { containerRoot } from './root.ts';
import type { ContainerRoot, HostLook } from './root.ts';

type EngineName = Exclude<BoxRuntimeName, 'kernel'>;

/** A program that builds containers, whose first process is then our keeper. */
interface Engine {
  /** Where systems have it. The PATH is not asked: a program put there would build the box. */
  readonly program: string;
  readonly command: (program: string, start: ContainerStart) => readonly [string, ...string[]];
  /** The number of the first process, by what the engine is or has left. */
  readonly firstOf: (pid: number, start: ContainerStart) => number | undefined;
  /** Ends what the engine knows of a container, which need not be there. */
  readonly remove: (program: string, id: string) => Promise<void>;
  readonly needsRoot: boolean;
}

// Passed on as they are numbered, to whoever has the number that is named: the shell becomes that.
const passingOn = 'LISTEN_FDS=3 LISTEN_PID=$$ exec "$@"';
const removeMs = 10_000;

const engines: Readonly<Record<EngineName, Engine>> = {
  podman: {
    program: '/usr/bin/podman',
    command: (program, start) => [program, ...podmanWords(start)],
    firstOf: (_pid, { pidFile }) => numberIn(pidFile),
    remove: async (program, id) =>
      new Promise((resolve) => {
        const words = ['rm', '--force', '--ignore', '--time', '0', id];
        // What cannot be removed is named by what is left of it.
        execFile(program, words, { timeout: removeMs, env: engineEnvironment() }, () => resolve());
      }),
    needsRoot: false,
  },
  'systemd-nspawn': {
    program: '/usr/bin/systemd-nspawn',
    command: (program, start) => ['/bin/sh', '-c', passingOn, 'sh', program, ...nspawnWords(start)],
    firstOf: (pid) => firstBelow(pid),
    // It ends with its first process, and that with it.
    remove: async () => Promise.resolve(),
    needsRoot: true,
  },
};

interface ContainerOptions extends RuntimeOptions {
  /** The folder in which a box's root is made; ours alone. */
  readonly rootOf: (name: string) => string;
}

/** Boxes that a container engine builds, with our launcher as their first process and keeper. */
export function containerBuilder(name: EngineName, options: ContainerOptions): BoxBuilder {
  const { launcher, uid, rootOf } = options;
  const engine = engines[name];
  const program = options.programs?.[name] ?? engine.program;
  const lacks = (): string | null => {
    if (!existsSync(program)) return `There is no ${program} on this machine.`;
    if (!existsSync(launcher)) return 'The launcher of the sandbox is not installed.';
    return engine.needsRoot && uid !== 0 ? `${name} builds containers for root alone.` : null;
  };
  const clear = async (box: string): Promise<void> => {
    const folder = rootOf(box);
    const id = idIn(folder, name);
    // One that a crash has left before it was marked is nobody's, and goes with any.
    const isOthers = Object.keys(engines).some(
      (each) => each !== name && idIn(folder, each) !== null,
    );
    if (isOthers || !existsSync(folder)) return;
    if (id !== null) await engine.remove(program, id);
    removeFolder(folder);
  };
  return {
    problem: async () => Promise.resolve(lacks()),
    lacks,
    build: async (spec, socket) => {
      const why = lacks();
      if (why !== null) throw noResource(why);
      return build(spec, socket, { ...options, engine, name, program });
    },
    clear,
  };
}

/** The engine's name for a box, which is written down before the engine hears of it. */
function idIn(folder: string, name: string): string | null {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return null;
  }
}

async function build(
  spec: BoxSpec,
  socket: KeeperSocket,
  options: ContainerOptions & {
    readonly engine: Engine;
    readonly name: EngineName;
    readonly program: string;
  },
): Promise<CreatedBox> {
  const { uid, rootOf, launcher, engine, name, program } = options;
  const folder = rootOf(spec.name);
  const id = `interlock-${groupOf(socket.path)}`;
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, name), id);
  const root = makeRoot(folder, spec);
  const start: ContainerStart = {
    id,
    hostname: spec.name,
    root: join(folder, 'root'),
    mounts: root.mounts,
    launcher: realpathSync(launcher),
    network: spec.network,
    limits: spec.limits,
    user: uid === 0 ? null : { uid: spec.uid, gid: spec.gid },
    pidFile: join(folder, 'pid'),
  };
  const plan = planOf(spec, { mode: 'first', groups: [], entries: root.inside });
  const wordsFile = join(folder, 'words');
  const words = openSync(wordsFile, 'wx', 0o600);
  const command = engine.command(program, start);
  const env = engineEnvironment();
  const { pid, begun } = await startKeeper(command, plan, socket.descriptor, { env, words });
  closeSync(words);
  if (!begun.ok) {
    const said = firstLine(readFileSync(wordsFile, 'utf8'));
    const step =
      begun.error === 'it ended without a word' ? '' : ` (${begun.step}: ${begun.error})`;
    throw noResource(`${name} could not build it${step}${said === '' ? '.' : `: ${said}.`}`);
  }
  const keeper = keeperAt(pid === undefined ? undefined : engine.firstOf(pid, start));
  return { keeper, groups: holdTogether(keeper.pid, spec, socket, uid), held: begun.held };
}

/** What an engine says first is what it ended for. */
function firstLine(text: string): string {
  return displayPlain((text.trim().split('\n')[0] ?? '').slice(0, 400));
}

/** Puts the first process into groups of ours, with all that it will start. */
function holdTogether(
  pid: number,
  { memory, limits }: BoxSpec,
  socket: KeeperSocket,
  uid: number,
): readonly string[] {
  const found = findGroups(uid);
  if (!found.ok) return [];
  const { processes } = limits;
  const { files } = found.open(groupOf(socket.path), { memory, processes, apart: true });
  for (const file of files) writeFileSync(file, String(pid));
  return files;
}

/** Makes the folder that becomes the root. It is read by whoever the box runs as. */
function makeRoot(folder: string, spec: BoxSpec): ContainerRoot {
  const nothing = join(folder, 'nothing');
  writeFileSync(nothing, '', { mode: 0o444 });
  const { dev, ino } = statSync(nothing);
  const files = rootFiles();
  const entries = spec.entries
    .filter((entry) => !isLeftOut(entry, spec))
    .flatMap((entry) => known(entry, (path) => files.facts(path)));
  const host: HostLook = {
    kindOf,
    nothing: { path: nothing, identity: { device: dev, inode: ino } },
  };
  const root = containerRoot(entries, host);
  const at = (path: string): string => join(folder, 'root', path);
  const makeFolder = (path: string): void => {
    mkdirSync(path, { mode: 0o755 });
    chmodSync(path, 0o755);
  };
  makeFolder(at('/'));
  writeFileSync(at(firstProgram), '');
  for (const path of root.folders) makeFolder(at(path));
  for (const { target, to } of root.links) symlinkSync(to, at(target));
  for (const { target, content } of root.files) {
    writeFileSync(at(target), content, { flag: 'wx' });
    chmodSync(at(target), 0o444);
  }
  return root;
}

function kindOf(path: string): 'directory' | 'file' | null {
  try {
    if (realpathSync(path) !== path) return null;
    return lstatSync(path).isDirectory() ? 'directory' : 'file';
  } catch {
    return null;
  }
}

/** Nothing of a variable of ours is the engine's to follow, but where it keeps its own things. */
function engineEnvironment(): Readonly<Record<string, string>> {
  const kept = ['HOME', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), PATH: '/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin' };
}

function numberIn(file: string): number | undefined {
  try {
    const number = Number(readFileSync(file, 'utf8').trim());
    return Number.isInteger(number) && number > 1 ? number : undefined;
  } catch {
    return undefined;
  }
}

/** The process below this one that is the first of a namespace of its own. */
function firstBelow(pid: number): number | undefined {
  for (const child of childrenOf(pid)) {
    if (isFirst(child)) return child;
    const found = firstBelow(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${String(pid)}/task`).flatMap((thread) =>
      readFileSync(`/proc/${String(pid)}/task/${thread}/children`, 'utf8')
        .split(' ')
        .filter(Boolean)
        .map(Number),
    );
  } catch {
    return [];
  }
}

function isFirst(pid: number): boolean {
  try {
    const numbers = /^NSpid:\s+(.+)$/mu.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'));
    const all = numbers?.[1]?.split(/\s+/u) ?? [];
    return all.length > 1 && all.at(-1) === '1';
  } catch {
    return false;
  }
}

/** Never while something is mounted there: what is below it would be the person's. */
function removeFolder(folder: string): void {
  const mounted = readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${folder}/`);
  if (!mounted) rmSync(folder, { recursive: true, force: true });
}
