import { oncePerMachine } from './kept.ts';
import { inertUnderHome } from './list/later.ts';
import { foldedFolder, foldedSegments, startsWith } from './names.ts';
import { findAnywhere, findLines, outranks } from './table.ts';
import type { Hit } from './table.ts';
import { fileIdentity, places } from './types.ts';
import type {
  KnownPlace,
  Place,
  PlaceContext,
  PlaceFiles,
  PlaceMachine,
  Placement,
} from './types.ts';

/**
 * What kind of place a path leads to: as it is written, and as the links of the file system lead,
 * whichever is more serious; Interlock's own also by device and inode. `path` is absolute, or
 * relative to `context.cwd`; a leading `~/` is the home folder. A relative path in a folder that is
 * not known is judged by its names alone.
 */
export function placeOf(path: string, context: PlaceContext): Placement {
  const { machine, cwd } = context;
  const written = absolute(path, context);
  if (isStream(written)) return plain('system', 'is a stream of the command itself', written);
  const asWritten = judge(written, context);
  if (machine.files === null) return asWritten;
  const real = whereItLeads(machine.files, written);
  const asItLeads = real === null || real === written ? asWritten : judge(real, context);
  const worst = seriousness(asItLeads) < seriousness(asWritten) ? asItLeads : asWritten;
  const plainest = guards(worst) ? worst : cwd === null ? asWritten : asItLeads;
  const known = knownByIdentity(real ?? written, machine);
  if (known !== null && seriousness(known) < seriousness(plainest)) return known;
  return plainest.place === 'system'
    ? keptBack(plainest, real ?? written, machine.files)
    : plainest;
}

/** Logs are read by those who are trusted with them; what the kernel shows is named in the list. */
const shown = /^\/(?:var\/log|proc|sys)(?:\/|$)/;

/**
 * What the system keeps from ordinary users is secret, whatever it is called: a runner that is root
 * could read it. The file itself, or a folder on the way that others may not enter.
 */
function keptBack(placement: Placement, path: string, files: PlaceFiles): Placement {
  if (shown.test(path)) return placement;
  for (let at = path; at !== '/'; at = parent(at)) {
    const { kind, mode, uid } = files.facts(at) ?? {};
    if (mode === undefined || uid === undefined || uid >= firstOrdinary) continue;
    if ((mode & (kind === 'directory' ? 0o005 : 0o004)) !== 0) continue;
    const reason = 'is kept from other users of this machine';
    return { ...placement, place: 'secret', reason, reach: at.split('/').length - 1 };
  }
  return placement;
}

/** Accounts below are those of the system. Source: Debian Policy, 9.2.2. */
const firstOrdinary = 500;

/** Whether a path is one that only a rule which names it covers. */
export function guards({ place }: Placement): boolean {
  return place === 'own' || place === 'secret' || place === 'steers' || place === 'runs-later';
}

function seriousness({ place, disarms }: Placement): number {
  return places.indexOf(place) * 2 - Number(disarms);
}

/** The path from the root. Where the folder is not known, its names stand in a folder of no name. */
export function absolute(path: string, { machine, cwd }: PlaceContext): string {
  const slashed = machine.platform === 'win32' ? path.replaceAll('\\', '/') : path;
  if (slashed === '~' || slashed.startsWith('~/')) return machine.home + slashed.slice(1);
  if (slashed.startsWith('/')) return slashed;
  if (/^[A-Za-z]:\//.test(slashed) && machine.platform === 'win32') return slashed.slice(2);
  return `${cwd ?? '/...'}/${slashed}`;
}

/** They lead into `/proc` and are the command's own. */
function isStream(path: string): boolean {
  return (
    path.startsWith('/') &&
    /^\/(?:dev\/(?:null|zero|full|u?random|tty|std(?:in|out|err)|fd\/\d+)|proc\/self\/fd\/[0-2])$/.test(
      path,
    )
  );
}

/** The same paths are asked about in every question; most are judged by their names alone. */
function judge(path: string, context: PlaceContext): Placement {
  const { machine, cwd, projects } = context;
  const { named } = foldedFolders(machine);
  const around = `${cwd ?? ''}\0${projects.join('\0')}\0\0`;
  const known = named.get(around + path);
  if (known !== undefined && (machine.files === null || !known.looks)) return known.placement;
  const segments = foldedSegments(path);
  const hits = hitsOf(segments, foldedFolders(machine).home);
  const looks =
    hits.some(({ line }) => line.entry.holding !== undefined) ||
    segments.some((name) => inRepositories.has(name));
  const placement = judgeAnew(path, { segments, hits, context });
  if ((machine.files === null || !looks) && path.length <= longestKept) {
    if (named.size >= mostKept) named.clear();
    named.set(around + path, { placement, looks });
  }
  return placement;
}

const mostKept = 2048;
const longestKept = 512;

function judgeAnew(
  path: string,
  {
    segments,
    hits,
    context,
  }: {
    readonly segments: readonly string[];
    readonly hits: readonly Hit[];
    readonly context: PlaceContext;
  },
): Placement {
  const { machine } = context;
  const folded = foldedFolders(machine);
  const known = folded.known.find((one) => startsWith(one.segments, segments, 0));
  if (known !== undefined)
    return {
      place: known.of.place,
      reason: known.of.reason,
      path,
      reach: known.of.disarms === true ? segments.length : known.segments.length,
      disarms: known.of.disarms ?? false,
    };
  const hit = worstOf(hits, path, machine);
  if (hit !== null && hit.line.entry.place !== 'project') {
    const { place, reason, disarms = false } = hit.line.entry;
    return { place, reason, path, reach: disarms ? segments.length : hit.reach, disarms };
  }
  if (isInBareRepository(path, segments, machine))
    return { ...plain('steers', 'can name programs that Git runs', path), reach: segments.length };
  const onPath = folded.path.find((folder) => startsWith(folder, segments, 0));
  if (onPath !== undefined)
    return {
      ...plain('runs-later', 'is found by its name when commands run', path),
      reach: onPath.length,
    };
  const dotted = dotPathUnderHome(segments, { folded, projects: context.projects });
  if (dotted !== null)
    return { ...plain('runs-later', 'may be settings that a program obeys', path), reach: dotted };
  return bare(path, segments, { context, folded, recipe: hit?.line.entry.reason ?? null });
}

interface Folded {
  readonly home: readonly string[];
  readonly temporary: readonly (readonly string[])[];
  readonly path: readonly (readonly string[])[];
  readonly known: readonly { readonly of: KnownPlace; readonly segments: readonly string[] }[];
  readonly identities: ReadonlyMap<string, KnownPlace>;
  /** What was said of paths by their names; `looks` where files may say more. */
  readonly named: Map<string, { readonly placement: Placement; readonly looks: boolean }>;
}

const usualTemporary = ['/tmp', '/var/tmp', '/private/tmp', '/private/var/folders', '/dev/shm'];
const inert = inertUnderHome.map((path) => path.split('/'));

const foldedFolders = oncePerMachine((machine): Folded => {
  const filled = (paths: readonly string[]) =>
    paths.map(foldedSegments).filter((segments) => segments.length > 0);
  const serious = machine.known.toSorted(
    (a, b) => places.indexOf(a.place) - places.indexOf(b.place),
  );
  return {
    home: foldedSegments(machine.home),
    temporary: filled([...usualTemporary, ...machine.temporary]),
    path: filled(machine.path),
    known: serious.map((of) => ({ of, segments: foldedSegments(of.path) })),
    identities: new Map(
      serious
        .toReversed()
        .flatMap((of) => (of.identities ?? []).map((identity) => [identity, of] as const)),
    ),
    named: new Map(),
  };
});

const inRepositories: ReadonlySet<string> = new Set(['config', 'config.worktree', 'hooks', 'info']);

/** A repository needs no `.git`: a folder with `HEAD`, `objects` and `refs` is one, hooks and all. */
function isInBareRepository(
  path: string,
  segments: readonly string[],
  { files }: PlaceMachine,
): boolean {
  if (files === null || !segments.some((name) => inRepositories.has(name))) return false;
  const names = path.split('/');
  return names.some((name, at) => {
    if (!inRepositories.has(name.toLowerCase())) return false;
    const folder = names.slice(0, at).join('/');
    return ['HEAD', 'objects', 'refs'].every((part) => files.facts(`${folder}/${part}`) !== null);
  });
}

/** Every line of the list that a path fits. */
function hitsOf(segments: readonly string[], folded: readonly string[]): readonly Hit[] {
  const hits: Hit[] = [];
  findLines('root', segments, { start: 0, hits });
  if (segments[0] === 'private') findLines('root', segments, { start: 1, hits });
  const home = homeLength(segments, folded);
  if (home !== null) findLines('home', segments, { start: home, hits });
  findAnywhere(segments, hits);
  return hits;
}

function worstOf(hits: readonly Hit[], path: string, machine: PlaceMachine): Hit | null {
  let worst: Hit | null = null;
  for (const hit of hits)
    if ((worst === null || outranks(hit, worst)) && contentFits(hit, path, machine)) worst = hit;
  return worst;
}

/** Where the content decides and cannot be seen, it is taken to hold what it may. */
function contentFits({ line }: Hit, path: string, { files }: PlaceMachine): boolean {
  const { holding } = line.entry;
  if (holding === undefined || files === null) return true;
  const head = files.head(path, 65_536);
  if (head === null) return files.facts(path) !== null;
  let text = '';
  for (const byte of head) text += String.fromCharCode(byte);
  return holding.test(text);
}

/** How many segments lead to a home folder: that of the person, or anybody's. */
function homeLength(segments: readonly string[], home: readonly string[]): number | null {
  if (home.length > 0 && startsWith(home, segments, 0)) return home.length;
  const [first, second] = segments;
  if (first === 'root') return 1;
  if (first === 'var' && second === 'root') return 2;
  return (first === 'home' || first === 'users') && segments.length > 2 ? 2 : null;
}

/** Programs read their settings from there, more of them than any list knows. */
function dotPathUnderHome(
  segments: readonly string[],
  { folded, projects }: { readonly folded: Folded; readonly projects: readonly string[] },
): number | null {
  const home = homeLength(segments, folded.home);
  if (home === null || segments[home]?.startsWith('.') !== true) return null;
  if (inert.some((pattern) => startsWith(pattern, segments, home))) return null;
  const given = projects.some((project) => {
    const folder = foldedFolder(project);
    return folder.length > home && startsWith(folder, segments, 0);
  });
  return given ? null : home + 1;
}

const systemFolders: ReadonlySet<string> = new Set(
  `bin boot dev etc lib lib32 lib64 libexec media nix opt proc run sbin snap sys usr var system library
  applications cores private root windows`.split(/\s+/),
);

function bare(
  path: string,
  segments: readonly string[],
  at: { readonly context: PlaceContext; readonly folded: Folded; readonly recipe: string | null },
): Placement {
  const { cwd, projects } = at.context;
  const { home, temporary } = at.folded;
  const inside = (folder: string): boolean => startsWith(foldedFolder(folder), segments, 0);
  const owned =
    cwd !== null && !startsWith(foldedFolder(cwd), home, 0) && cwd !== '/' && inside(cwd);
  if (owned || cwd === null || projects.some(inside))
    return plain('project', at.recipe ?? 'lies in the project', path);
  if (temporary.some((folder) => startsWith(folder, segments, 0)))
    return plain('temporary', 'lies in a folder for temporary files', path);
  if (startsWith(home, segments, 0)) return plain('home', 'lies in your home folder', path);
  return systemFolders.has(segments[0] ?? '')
    ? plain('system', 'belongs to the system', path)
    : plain('outside', 'lies outside the project and your home folder', path);
}

function plain(place: Place, reason: string, path: string): Placement {
  return { place, reason, path, reach: 0, disarms: false };
}

/**
 * A file, or the nearest folder of it that is there, which is one of Interlock's whatever it is
 * called. The identities hold every folder below, so its own folder is enough.
 */
function knownByIdentity(path: string, machine: PlaceMachine): Placement | null {
  const { identities } = foldedFolders(machine);
  const { files } = machine;
  if (files === null || identities.size === 0) return null;
  const found = (at: string): KnownPlace | null => {
    const facts = files.facts(at);
    return facts === null ? null : (identities.get(fileIdentity(facts)) ?? null);
  };
  let known = found(path);
  for (let folder = parent(path); known === null; folder = parent(folder)) {
    if (files.facts(folder) === null && folder !== '/') continue;
    known = found(folder);
    break;
  }
  if (known === null) return null;
  const { place, reason, disarms = false } = known;
  // No pattern names a file that goes by another name.
  return { place, reason, path, reach: Number.MAX_SAFE_INTEGER, disarms };
}

function parent(path: string): string {
  const slash = path.replace(/\/+$/, '').lastIndexOf('/');
  return slash <= 0 ? '/' : path.slice(0, slash);
}

/** More links than this on one way are a circle. */
const mostLinks = 40;

/**
 * Where an absolute path leads when it is opened for writing: links followed, `..` as the file system
 * takes it, also for files and folders that are not there yet. A link that leads nowhere leads to what
 * it names where the view can tell, else null.
 */
function whereItLeads(files: PlaceFiles, path: string): string | null {
  if (path.includes('\0')) return null;
  let rest = path;
  for (let links = 0; links < mostLinks; links += 1) {
    const real = files.realPath(rest);
    if (real !== null) return real;
    const { folder, missing } = nearest(files, rest);
    if (folder === null) return null;
    const [first, ...further] = missing;
    if (first === undefined) return folder;
    const next = join(folder, first);
    if (!files.isLink(next)) return missing.includes('..') ? null : join(folder, ...missing);
    const target = files.readLink?.(next) ?? null;
    if (target === null) return null;
    rest = [target.startsWith('/') ? target : join(folder, target), ...further].join('/');
  }
  return null;
}

/** The deepest folder on the way that is there, and the names behind it. */
function nearest(
  files: PlaceFiles,
  path: string,
): { readonly folder: string | null; readonly missing: readonly string[] } {
  const slash = path.lastIndexOf('/');
  const last = path.slice(slash + 1);
  if (slash > 0 && last !== '' && last !== '.') {
    const folder = files.realPath(path.slice(0, slash));
    if (folder !== null) return { folder, missing: [last] };
  }
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  for (let there = names.length - 1; there >= 0; there -= 1) {
    const folder = files.realPath(`/${names.slice(0, there).join('/')}`);
    if (folder !== null) return { folder, missing: names.slice(there) };
  }
  return { folder: null, missing: names };
}

function join(folder: string, ...names: readonly string[]): string {
  return `${folder === '/' ? '' : folder}/${names.join('/')}`;
}
