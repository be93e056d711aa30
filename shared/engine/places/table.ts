import { once } from '../../base/index.ts';
import { agentPlaces } from './list/agents.ts';
import { laterPlaces } from './list/later.ts';
import { recipePlaces } from './list/recipes.ts';
import { secretPlaces } from './list/secret.ts';
import { toolPlaces } from './list/tools.ts';
import { nameFits, startsWith } from './names.ts';
import { places } from './types.ts';
import type { PlaceEntry } from './types.ts';

/** An entry with one of its paths, and its exceptions cut into names. */
interface TableLine {
  readonly entry: PlaceEntry;
  /** Names from where it is anchored; the last may have a `*`. */
  readonly names: readonly string[];
  readonly anchor: Anchor;
  readonly below: readonly (readonly string[])[];
}

type Anchor = 'anywhere' | 'home' | 'root';

/** The whole list, line by line. */
export const tableLines = once((): readonly TableLine[] =>
  [...secretPlaces, ...agentPlaces, ...toolPlaces, ...laterPlaces, ...recipePlaces].flatMap(
    (entry) =>
      entry.at.map((at) => ({
        entry,
        anchor: anchorOf(at),
        names: at.replace(/^~?\//, '').split('/'),
        below: (entry.below ?? []).map((path) => path.split('/')),
      })),
  ),
);

function anchorOf(at: string): Anchor {
  if (at.startsWith('~/')) return 'home';
  return at.startsWith('/') ? 'root' : 'anywhere';
}

/** Lines by their first names, so that an ordinary name costs one or two lookups. */
interface Node {
  readonly named: Map<string, Node>;
  /** `*.pem` by what follows the last dot. */
  readonly endings: Map<string, Node>;
  /** Any other pattern, by the first letter that it needs; 0 where it needs none. */
  readonly patterns: Map<number, (readonly [pattern: string, node: Node])[]>;
  readonly lines: TableLine[];
}

const roots = once((): Readonly<Record<Anchor, Node>> => {
  const made = { anywhere: node(), home: node(), root: node() };
  for (const line of tableLines()) add(made[line.anchor], line);
  return made;
});

function node(): Node {
  return { named: new Map(), endings: new Map(), patterns: new Map(), lines: [] };
}

function add(root: Node, line: TableLine): void {
  let at = root;
  for (const name of line.names) at = child(at, name);
  at.lines.push(line);
}

function child(parent: Node, name: string): Node {
  if (!name.includes('*')) return take(parent.named, name);
  const ending = /^\*\.([^*.]+)$/.exec(name)?.[1];
  if (ending !== undefined) return take(parent.endings, ending);
  const first = name.startsWith('*') ? 0 : name.charCodeAt(0);
  const list = parent.patterns.get(first) ?? [];
  parent.patterns.set(first, list);
  const known = list.find(([pattern]) => pattern === name);
  if (known !== undefined) return known[1];
  const made = node();
  list.push([name, made]);
  return made;
}

function take(map: Map<string, Node>, key: string): Node {
  const made = map.get(key) ?? node();
  map.set(key, made);
  return made;
}

/** A line that a path fits, and how many of its segments that took. */
export interface Hit {
  readonly line: TableLine;
  readonly reach: number;
}

const mostQuiet = 16_384;
/** Names with which no line begins that stands for anywhere: nearly all, and they come again. */
const quiet = new Set<string>();

/** Every line that stands for anywhere and that some part of a path fits. Linear in the path. */
export function findAnywhere(segments: readonly string[], hits: Hit[]): void {
  for (let start = 0; start < segments.length; start += 1) {
    if (mayBegin(segments[start] ?? '')) walk(roots().anywhere, segments, { at: start, hits });
  }
}

/** Whether a folded name is the first of one that stands for anywhere. */
export function mayBegin(name: string): boolean {
  if (quiet.has(name)) return false;
  if (begins(roots().anywhere, name)) return true;
  if (name.length < 64) {
    if (quiet.size >= mostQuiet) quiet.clear();
    quiet.add(name);
  }
  return false;
}

function begins({ named, endings, patterns }: Node, name: string): boolean {
  if (named.has(name) || endings.has(name.slice(name.lastIndexOf('.') + 1))) return true;
  const fits = (key: number): boolean =>
    patterns.get(key)?.some(([pattern]) => nameFits(pattern, name)) ?? false;
  return fits(name.charCodeAt(0)) || fits(0);
}

/** Every line of an anchor that folded segments fit from `start` on, to `hits`. */
export function findLines(
  anchor: 'home' | 'root',
  segments: readonly string[],
  { start, hits }: { readonly start: number; readonly hits: Hit[] },
): void {
  walk(roots()[anchor], segments, { at: start, hits });
}

function walk(
  from: Node,
  segments: readonly string[],
  { at, hits }: { readonly at: number; readonly hits: Hit[] },
): void {
  for (const line of from.lines) if (holds(line, segments, at)) hits.push({ line, reach: at });
  const name = segments[at];
  if (name === undefined) return;
  const next = { at: at + 1, hits };
  const named = from.named.get(name);
  if (named !== undefined) walk(named, segments, next);
  if (from.endings.size > 0) {
    const dot = name.lastIndexOf('.');
    const ending = dot < 0 ? undefined : from.endings.get(name.slice(dot + 1));
    if (ending !== undefined) walk(ending, segments, next);
  }
  if (from.patterns.size === 0) return;
  walkPatterns(from.patterns.get(name.charCodeAt(0)), segments, next);
  walkPatterns(from.patterns.get(0), segments, next);
}

function walkPatterns(
  patterns: readonly (readonly [pattern: string, node: Node])[] | undefined,
  segments: readonly string[],
  next: { readonly at: number; readonly hits: Hit[] },
): void {
  if (patterns === undefined) return;
  const name = segments[next.at - 1] ?? '';
  for (const [pattern, then] of patterns) if (nameFits(pattern, name)) walk(then, segments, next);
}

function holds({ entry, below }: TableLine, segments: readonly string[], reach: number): boolean {
  const last = segments[reach - 1] ?? '';
  if (entry.not?.some((pattern) => nameFits(pattern, last)) === true) return false;
  return !below.some((pattern) => startsWith(pattern, segments, reach));
}

/** Smaller is more serious: the kind of place, then what can disarm the gate, then the longer reach. */
export function outranks(one: Hit, other: Hit): boolean {
  const byPlace = places.indexOf(one.line.entry.place) - places.indexOf(other.line.entry.place);
  if (byPlace !== 0) return byPlace < 0;
  const disarms =
    Number(other.line.entry.disarms ?? false) - Number(one.line.entry.disarms ?? false);
  return disarms === 0 ? one.reach > other.reach : disarms < 0;
}
