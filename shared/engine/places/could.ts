import { oncePerMachine } from './kept.ts';
import { inertUnderHome } from './list/later.ts';
import { globName, listedMatches, namesMeet } from './listed.ts';
import type { GlobName } from './listed.ts';
import { foldedSegments, nameFits, startsWith } from './names.ts';
import { absolute, placeOf } from './place-of.ts';
import { tableLines } from './table.ts';
import { places } from './types.ts';
import type { Place, PlaceContext, PlaceMachine, Placement } from './types.ts';

/** A place that something may bring, or reach, without naming it. */
type Possible = Pick<Placement, 'place' | 'reason'>;

/** Names that tell that a folder is a home of places like these, looked for on the file system. */
const landmarks =
  `.git .claude .gemini .codex .opencode .cursor .vscode .devcontainer .github .husky .envrc
  .mcp.json .env .npmrc`.split(/\s+/);

/**
 * The most serious place of the given kinds that lies in a folder or may come to lie there when a tree
 * of names that are not known is unpacked, copied or moved into it, or gone through from it; without
 * `anywhere`, only what has its place from the root or in a home folder. Null
 * where there is none: any folder can get a `.git`, so a plain one counts only when it has such.
 */
export function couldHold(
  directory: string,
  context: PlaceContext,
  among: readonly Place[] = guardedKinds,
  { anywhere }: { readonly anywhere: boolean } = { anywhere: true },
): Possible | null {
  const { machine } = context;
  const written = absolute(directory, context);
  const real = machine.files?.realPath(written) ?? written;
  const folder = foldedSegments(real);
  const itself = placeOf(directory, context);
  const onTheWay = lineOnTheWay(folder, machine, { among, anywhere });
  const held = landmarks.flatMap((name) => {
    const path = join(real, name);
    return machine.files === null || machine.files.facts(path) === null
      ? []
      : [placeOf(path, context)];
  });
  return worstOf([itself, ...(onTheWay === null ? [] : [onTheWay]), ...held], among);
}

function worstOf(found: readonly Possible[], among: readonly Place[]): Possible | null {
  let worst: Possible | null = null;
  for (const one of found)
    if (among.includes(one.place) && (worst === null || rank(one) < rank(worst))) worst = one;
  return worst === null ? null : { place: worst.place, reason: worst.reason };
}

function join(folder: string, name: string): string {
  return `${folder === '/' ? '' : folder}/${name}`;
}

const guardedKinds: readonly Place[] = ['own', 'secret', 'steers', 'runs-later'];

/** The most serious line that a folder is on the way to. The same folders are asked about all day. */
function lineOnTheWay(
  folder: readonly string[],
  machine: PlaceMachine,
  { among, anywhere }: { readonly among: readonly Place[]; readonly anywhere: boolean },
): Line | null {
  const { lines, onTheWay } = linesOf(machine);
  const key = JSON.stringify([folder, among, anywhere]);
  const known = onTheWay.get(key);
  if (known !== undefined) return known;
  const found = lines.find(
    (line) =>
      among.includes(line.place) &&
      !line.patternFirst &&
      (anywhere || line.anchored) &&
      leadsTo(folder, line),
  );
  if (onTheWay.size >= mostFolders) onTheWay.clear();
  onTheWay.set(key, found ?? null);
  return found ?? null;
}

/** Whether a folder is on the way to what a line names. */
function leadsTo(folder: readonly string[], line: Line): boolean {
  if (line.anchored) {
    const shared = Math.min(folder.length, line.names.length - 1);
    for (let at = 0; at < shared; at += 1)
      if (!nameFits(line.names[at] ?? '', folder[at] ?? '')) return false;
    return folder.length < line.names.length;
  }
  for (let length = Math.min(line.names.length - 1, folder.length); length > 0; length -= 1)
    if (startsWith(line.names.slice(0, length), folder, folder.length - length)) return true;
  return false;
}

interface GlobHabits {
  /** Whether a wildcard at the start of a name fits a dot: in rules yes, in a shell no. */
  readonly hidden: boolean;
}

/**
 * The most serious place of the given kinds that a path which a glob fits may be of, or null. A
 * glob of rules or of a shell: `*`, `?`, `[…]`, `**` over folders, `{a,b}`, `~`. Where the view
 * lists the folder of a shell's glob, only what is there counts; else, in doubt, it fits.
 */
export function couldMatch(
  glob: string,
  context: PlaceContext,
  { hidden, among = guardedKinds }: GlobHabits & { readonly among?: readonly Place[] },
): Possible | null {
  const found = (alternatives(glob) ?? ['/**']).flatMap((one): readonly Possible[] => {
    const there = hidden ? null : listedMatches(one, context);
    if (there?.whole === true) return there.paths.map((path) => placeOf(path, context));
    const names = foldedSegments(absolute(one, context)).map(globName);
    const fits = linesOf(context.machine).lines.find(
      (line) => among.includes(line.place) && lineMeets(line, names, hidden),
    );
    const dotted = dotPath(names, context, hidden);
    return [...(fits === undefined ? [] : [fits]), ...(dotted === null ? [] : [dotted])];
  });
  return worstOf(found, among);
}

function rank({ place }: Possible): number {
  return places.indexOf(place);
}

interface Line extends Possible {
  readonly names: readonly string[];
  readonly anchored: boolean;
  /** `*.pem`: any folder leads to it, which says nothing. */
  readonly patternFirst: boolean;
  /** Says again for home folders what holds anywhere, for those who come from above. */
  readonly again: boolean;
  readonly below: readonly (readonly string[])[];
  readonly not: readonly string[];
}

/** The list and what a machine adds to it, the most serious first, and what was found in it. */
interface Lines {
  readonly lines: readonly Line[];
  /** By folder and kinds; null where it leads to none of them. */
  readonly onTheWay: Map<string, Line | null>;
}

const mostFolders = 512;

const linesOf = oncePerMachine((machine): Lines => ({
  lines: makeLines(machine),
  onTheWay: new Map(),
}));

function makeLines(machine: Omit<PlaceMachine, 'files'>): readonly Line[] {
  const homes = [foldedSegments(machine.home), ['root'], ['home', '*'], ['users', '*']];
  const listed = tableLines().flatMap(({ entry, anchor, names, below }): Line[] => {
    if (entry.place === 'project') return [];
    const base = { place: entry.place, reason: entry.reason, below, not: entry.not ?? [] };
    const line = (all: readonly string[], anchored: boolean): Line => ({
      ...base,
      names: all,
      anchored,
      again: anchored && anchor === 'anywhere',
      patternFirst: names[0]?.includes('*') === true && anchor === 'anywhere',
    });
    if (anchor === 'home') return homes.map((home) => line([...home, ...names], true));
    // What lies anywhere lies in the home folders too: whoever goes through them from above meets it.
    const atHome = homes.map((home) => line([...home, ...names], true));
    return anchor === 'root' ? [line(names, true)] : [line(names, false), ...atHome];
  });
  const fixed = (path: string, possible: Possible): Line => ({
    place: possible.place,
    reason: possible.reason,
    names: foldedSegments(path),
    anchored: true,
    patternFirst: false,
    again: false,
    below: [],
    not: [],
  });
  return [
    ...listed,
    ...machine.known.map((known) => fixed(known.path, known)),
    ...machine.path.map((path) =>
      fixed(path, { place: 'runs-later', reason: 'is found by its name when commands run' }),
    ),
  ].toSorted((one, other) => rank(one) - rank(other));
}

function lineMeets(line: Line, names: readonly GlobName[], hidden: boolean): boolean {
  if (line.again) return false;
  if (line.anchored) return meets(line, names, { at: 0, done: 0, hidden });
  const [first = ''] = line.names;
  const literal = !first.includes('*');
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at];
    // Nearly every name fails here.
    if (literal && name?.steps === null && name.text !== first) continue;
    if (meets(line, names, { at, done: 0, hidden })) return true;
  }
  return false;
}

/** Whether some path fits the glob from `at` and the line from `done`. */
function meets(
  line: Line,
  names: readonly GlobName[],
  { at, done, hidden }: { readonly at: number; readonly done: number; readonly hidden: boolean },
): boolean {
  const wanted = line.names[done];
  if (wanted === undefined) return !isException(line, names, at);
  const name = names[at];
  if (name === undefined) return false;
  if (!name.text.includes('**'))
    return (
      namesMeet(name, wanted, hidden) && meets(line, names, { at: at + 1, done: done + 1, hidden })
    );
  if (meets(line, names, { at: at + 1, done, hidden })) return true;
  return (hidden || !wanted.startsWith('.')) && meets(line, names, { at, done: done + 1, hidden });
}

function isException(line: Line, names: readonly GlobName[], at: number): boolean {
  const texts = names.map(({ text }) => text);
  if (line.below.some((pattern) => startsWith(pattern, texts, at))) return true;
  const last = names[at - 1];
  return last?.steps === null && line.not.some((pattern) => nameFits(pattern, last.text));
}

const inert = inertUnderHome.map((path) => path.split('/'));

/** Dot paths under home that the list does not know. */
function dotPath(
  names: readonly GlobName[],
  { machine, projects }: PlaceContext,
  hidden: boolean,
): Possible | null {
  const home = foldedSegments(machine.home);
  const line: Line = {
    place: 'runs-later',
    reason: 'may be settings that a program obeys',
    names: [...home, '.*'],
    anchored: true,
    patternFirst: false,
    again: false,
    below: [],
    not: [],
  };
  if (!lineMeets(line, names, hidden)) return null;
  const texts = names.map(({ text }) => text);
  const excused =
    inert.some((pattern) => startsWith([...home, ...pattern], texts, 0)) ||
    projects.some((project) => {
      const folder = foldedSegments(project);
      return folder.length > home.length && startsWith(folder, texts, 0);
    });
  return excused ? null : line;
}

const mostAlternatives = 64;

/** The globs without braces that a glob stands for; null where they are too many to tell. */
function alternatives(glob: string): readonly string[] | null {
  const done: string[] = [];
  const open = [glob];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    // The innermost pair first, so that nesting needs no care.
    const braces = /\{([^{}]*)\}/.exec(one);
    if (braces === null) done.push(one);
    else
      for (const part of (braces[1] ?? '').split(','))
        open.push(one.slice(0, braces.index) + part + one.slice(braces.index + braces[0].length));
    if (done.length + open.length > mostAlternatives) return null;
  }
  return done;
}
