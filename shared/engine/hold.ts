import { isBelow, nameOf, parentOf } from './plan/paths.ts';
import type { FileView, Plan, Stage, StageEffects, Surroundings } from './plan/types.ts';
import { recordOf } from './programs/list.ts';
import { textOf } from './programs/repository/find.ts';
import type { HeldTo } from './programs/traits.ts';
import { projectAround } from './trust/scope.ts';

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

/** Programs of the system and what they are made of. They hold nothing of anybody's. */
export const programFolders: readonly string[] = [
  '/bin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/nix/store',
  '/opt',
  '/sbin',
  '/snap',
  '/usr',
];

/**
 * What every program reads: the system's own files. Left out are folders of the system in which
 * somebody's things lie: devices, sockets and tokens of a session, data of services.
 */
const systemFolders = [
  ...programFolders,
  '/etc',
  '/proc',
  '/run/NetworkManager',
  '/run/current-system',
  '/run/resolvconf',
  '/run/systemd/resolve',
  '/run/utmp',
  '/sys',
  '/var/cache/ldconfig',
  '/var/lib/ca-certificates',
  '/var/lib/sss/mc',
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
    reads: real(files, [...systemOf(around), ...around.workspaces, ...seen.reads]),
    writes: real(files, [...seen.writes]),
    starts: real(files, [...loaders, ...seen.starts]),
    network: seen.network,
  };
}

/**
 * Whether a plan only looks: all that its programs do is known, none of it reaches another machine,
 * and nothing is written but to devices and into `/tmp` itself. What is not known is no.
 */
export function onlyLooks(plan: Plan, around: Around): boolean {
  if (plan.execution === null) return false;
  const seen: Seen = { reads: new Set(), writes: new Set(), starts: new Set(), network: false };
  if (!plan.stages.every((stage) => stage.cwd !== '/tmp' && addStage(stage, around, seen)))
    return false;
  return (
    !seen.network && [...seen.writes].every((path) => path === '/tmp' || isBelow(path, '/dev'))
  );
}

/** A service may have its home in a folder of the system, which then is not the system's alone. */
function systemOf(around: Around): readonly string[] {
  const homes = [around.home, realHome(around)];
  return systemFolders.filter((folder) => !homes.some((path) => isBelow(path, folder)));
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
  // Who works in the home folder, or above it, has not named all that lies there.
  for (const folder of [cwd, projectAround(cwd, around.home, around.files)])
    if (!isBelow(realHome(around), folder) || stage.effects?.reads.length === 0)
      seen.reads.add(folder);
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
  if (held.where?.(stage.argv) === false && stage.isCodeRead !== true) return false;
  if (!linksAreKnown(cwd, around)) return false;
  if (held.gitSettings === true && !addGitSettings(cwd, around, seen)) return false;
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

const mostText = 65_536;
const mostGitFiles = 20;
const namesFile =
  /(?:^|\])[ \t]*(?:path|file|excludesfile|attributesfile|ignorerevsfile)[ \t]*=[ \t]*(?:"([^"\n]+)"|([^\s"#;][^"#;\n]*))/gim;
const namesProgram = /(?:^|\])[ \t]*(?:external|textconv|fsmonitor)[ \t]*=[ \t]*(?!false\b)\S/im;
const namesFilter = /(?:^|\])[ \t]*(?:clean|smudge|process)[ \t]*=/im;

/**
 * Adds the files that Git's settings name, and other stores of objects: without one of them Git ends
 * or warns. False where they have Git start a program.
 */
function addGitSettings(cwd: string, around: Around, seen: Seen): boolean {
  const { files, home } = around;
  const project = projectAround(cwd, around.home, around.files);
  const read = (path: string): string => textOf(files.head(path, mostText) ?? new Uint8Array());
  const left = ['/etc/gitconfig', `${home}/.gitconfig`, `${home}/.config/git/config`].concat(
    ['config', 'config.worktree'].map((name) => `${project}/.git/${name}`),
  );
  let filters = false;
  for (let done = 0; left.length > 0 && done < mostGitFiles; done += 1) {
    const at = left.shift() ?? '';
    const text = read(at);
    if (namesProgram.test(text)) return false;
    filters ||= namesFilter.test(text);
    for (const [, quoted, bare = ''] of text.matchAll(namesFile)) {
      const path = (quoted ?? bare).trim().replace(/^~(?=\/)/, home);
      const full = path.startsWith('/') ? path : `${parentOf(at)}/${path}`;
      seen.reads.add(full);
      left.push(full);
    }
  }
  addAlternates(`${project}/.git/objects`, read, seen);
  const attributes = ['.gitattributes', '.git/info/attributes'].map((name) => `${project}/${name}`);
  return !filters || !attributes.some((path) => /\bfilter=/.test(read(path)));
}

/** Stores of objects that another one names, as deep as Git follows them. */
function addAlternates(objects: string, read: (path: string) => string, seen: Seen, deep = 0) {
  if (deep > 5) return;
  for (const line of read(`${objects}/info/alternates`).split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const store = line.startsWith('/') ? line : `${objects}/${line}`;
    seen.reads.add(store);
    addAlternates(store, read, seen, deep + 1);
  }
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

/** A linked worktree keeps its history elsewhere, which is not looked up here. */
function linksAreKnown(cwd: string, around: Around): boolean {
  const git = `${projectAround(cwd, around.home, around.files)}/.git`;
  const facts = around.files.facts(git);
  return facts === null || (facts.kind === 'directory' && !around.files.isLink(git));
}

function realHome({ files, home }: Around): string {
  return files.realPath(home) ?? home;
}

function real(files: FileView, paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => files.realPath(path) ?? []))];
}
