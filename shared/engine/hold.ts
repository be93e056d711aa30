import { nameOf, parentOf } from './plan/paths.ts';
import type { FileView, Plan, Stage, StageEffects, Surroundings } from './plan/types.ts';
import { recordOf } from './programs/list.ts';
import type { HeldTo } from './programs/types.ts';

/**
 * What a plan may do to this machine, for the kernel to hold it to: absolute real paths, each of
 * which stands for all below it where it is a folder.
 */
export interface Hold {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Files that may be started. */
  readonly starts: readonly string[];
  readonly network: boolean;
}

/** What every program reads: the system's own files, where no person keeps anything. */
const systemFolders = [
  '/bin',
  '/dev',
  '/etc',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/nix/store',
  '/opt',
  '/proc',
  '/run',
  '/sbin',
  '/snap',
  '/sys',
  '/usr',
  '/var/cache',
  '/var/lib',
];

/** Programs start with these; shared libraries need no right of their own. */
const loaders = [
  '/lib64/ld-linux-x86-64.so.2',
  '/lib/ld-linux-aarch64.so.1',
  '/lib/ld-musl-x86_64.so.1',
  '/lib/ld-musl-aarch64.so.1',
];

type Around = Pick<Surroundings, 'files' | 'path' | 'home' | 'workspaces' | 'shell'>;

/**
 * What the kernel can hold a plan to; null where the records do not say all that its programs do,
 * or the analysis could not tell a path. Then it runs as it did before there was a hold.
 */
export function holdOf(plan: Plan, around: Around): Hold | null {
  const { files } = around;
  if (plan.execution === null) return null;
  const seen: Seen = { reads: new Set(), writes: new Set(), starts: new Set(), network: false };
  for (const stage of plan.stages) if (!addStage(stage, around, seen)) return null;
  if (plan.execution.kind === 'shell') seen.starts.add(around.shell);
  else seen.starts.add(plan.execution.file);
  return {
    reads: real(files, [...systemFolders, ...around.workspaces, ...seen.reads]),
    writes: real(files, [...seen.writes]),
    starts: real(files, [...loaders, ...seen.starts]),
    network: seen.network,
  };
}

interface Seen {
  readonly reads: Set<string>;
  readonly writes: Set<string>;
  readonly starts: Set<string>;
  network: boolean;
}

/** Adds what one program does; false where that is not known in full. */
function addStage(stage: Stage, around: Around, seen: Seen): boolean {
  const { executable, wrappers, carries, cwd } = stage;
  if (cwd === null) return false;
  for (const folder of [cwd, projectAround(cwd, around)]) seen.reads.add(folder);
  for (const path of stage.reads) seen.reads.add(path);
  for (const path of stage.writes) seen.writes.add(holding(around.files, path));
  if (executable.kind === 'builtin') return wrappers.length === 0 && carries.length === 0;
  if (executable.kind !== 'file' || executable.interpreter !== null) return false;
  for (const { executable: wrapper } of wrappers) {
    if (wrapper.kind !== 'file' || wrapper.interpreter !== null) return false;
    seen.starts.add(wrapper.realPath);
  }
  const held = recordOf(nameOf(executable.name))?.held;
  if (held === undefined || stage.script !== null || !isWhole(stage.effects, carries)) return false;
  if (held.where !== undefined && !held.where(stage.argv)) return false;
  if (!linksAreKnown(cwd, around)) return false;
  addEffects(stage.effects, around, seen);
  addHelpers(held, around, seen);
  seen.starts.add(executable.realPath);
  return carries.every((one) => addStage(one, around, seen));
}

/** Whether every path is known, and every program that it names was seen as one that it carries. */
function isWhole(effects: StageEffects | null, carries: readonly Stage[]): effects is StageEffects {
  if (effects === null) return false;
  const { reads, writes, deletes, into, starts } = effects;
  const carried = new Set(carries.flatMap(({ argv }) => argv.slice(0, 1)));
  return (
    [reads, writes, deletes, into].every((paths) => !paths.includes(null)) &&
    starts.every((name) => name !== null && carried.has(name))
  );
}

function addEffects(effects: StageEffects, { files }: Around, seen: Seen): void {
  const known = (paths: readonly (string | null)[]) => paths.filter((path) => path !== null);
  for (const path of known(effects.reads)) seen.reads.add(path);
  for (const path of known(effects.into)) seen.writes.add(nearest(files, path));
  for (const path of known([...effects.writes, ...effects.deletes]))
    seen.writes.add(holding(files, path));
  seen.network ||= effects.network;
}

function addHelpers(held: HeldTo, { files, path, home }: Around, seen: Seen): void {
  for (const name of held.starts ?? []) {
    const found = path
      .map((folder) => `${folder}/${name}`)
      .find((one) => files.facts(one) !== null);
    if (found !== undefined) seen.starts.add(found);
  }
  for (const folder of held.folders ?? []) seen.starts.add(folder);
  for (const name of held.settings ?? []) seen.reads.add(`${home}/${name}`);
  if (held.temporary === true) seen.writes.add('/tmp');
}

/** Programs replace a file by a new one of its name: the right to do that is one on its folder. */
function holding(files: FileView, path: string): string {
  const isSpecial = files.facts(path)?.kind === 'other';
  return isSpecial ? path : nearest(files, parentOf(path));
}

/** The path, or the folder on the way to it that is there. */
function nearest(files: FileView, path: string): string {
  let at = path;
  while (at !== '/' && files.facts(at) === null) at = parentOf(at);
  return at;
}

/** The folder with the history that a folder belongs to, else the folder. */
function projectAround(cwd: string, { files, home }: Around): string {
  for (let at = cwd; at !== '/' && at !== home; at = parentOf(at))
    if (files.facts(`${at}/.git`) !== null) return at;
  return cwd;
}

/** A linked worktree keeps its history elsewhere, which is not looked up here. */
function linksAreKnown(cwd: string, around: Around): boolean {
  const git = `${projectAround(cwd, around)}/.git`;
  const facts = around.files.facts(git);
  return facts === null || (facts.kind === 'directory' && !around.files.isLink(git));
}

function real(files: FileView, paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => files.realPath(path) ?? []))];
}
