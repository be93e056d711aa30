import { foldedSegments, nameFits } from './names.ts';
import { absolute } from './place-of.ts';
import { mayBegin } from './table.ts';
import type { PlaceContext, PlaceFiles } from './types.ts';

/** What a shell makes of a glob; not `whole` where there was more than is looked at. */
interface Listed {
  readonly paths: readonly string[];
  readonly whole: boolean;
}

/** So many folders are listed for one glob, and so many of the paths are looked up. */
const mostListed = 512;
const mostMatches = 10_000;
const lookedUp = 256;

/**
 * The paths that a shell makes of a glob; null where it cannot be told. Of very many only those count
 * whose own name or a link may lead to a place of the list.
 */
export function listedMatches(glob: string, context: PlaceContext): Listed | null {
  const { files } = context.machine;
  if (files?.entries === undefined || (context.cwd === null && !/^[/~]/.test(glob))) return null;
  const names = absolute(glob, context).split('/').slice(1);
  const first = names.findIndex(isWild);
  if (first === -1) return null;
  let found: Match[] = [{ path: `/${names.slice(0, first).join('/')}`, telling: false }];
  if (files.entries(found[0]?.path ?? '/') === null) return null;
  let listed = 0;
  for (const name of names.slice(first)) {
    if (name === '' || name === '.') continue;
    if (!isWild(name)) {
      found = found.map(({ path, telling }) => ({
        path: join(path, name),
        telling: telling || name === '..' || files.isLink(join(path, name)) || isTelling(name),
      }));
      continue;
    }
    listed += found.length;
    if (listed > mostListed) return { paths: [], whole: false };
    const wanted = globName(foldedSegments(name)[0] ?? '');
    found = found.flatMap((folder) => below(folder, wanted, files));
    if (found.length > mostMatches) return { paths: [], whole: false };
  }
  const telling = found.length > lookedUp ? found.filter((one) => one.telling) : found;
  const paths = telling.map(({ path }) => path);
  // A name that is written out behind a pattern need not be in each folder.
  const there = isWild(names.at(-1) ?? '')
    ? paths
    : paths.filter((path) => files.facts(path) !== null);
  return { paths: there, whole: there.length <= mostListed };
}

interface Match {
  readonly path: string;
  /** A link stands on the way, or a name with which a line of the list begins. */
  readonly telling: boolean;
}

function below({ path, telling }: Match, wanted: GlobName, files: PlaceFiles): readonly Match[] {
  return (files.entries?.(path) ?? []).flatMap(([name, kind]) =>
    namesMeet(wanted, foldedSegments(name)[0] ?? '', false)
      ? [{ path: join(path, name), telling: telling || kind === 'link' || isTelling(name) }]
      : [],
  );
}

function join(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

function isTelling(name: string): boolean {
  return mayBegin(foldedSegments(name)[0] ?? '');
}

/** One name of a glob. `steps` is null for a name without wildcards, which `text` then is. */
export interface GlobName {
  readonly text: string;
  readonly steps: readonly string[] | null;
  /** Starts with a wildcard, which in a shell fits no dot. */
  readonly wildStart: boolean;
}

/** `*`, `?` for any one character (a set counts as one), or a letter. */
export function globName(text: string): GlobName {
  if (!isWild(text)) return { text: text.replaceAll('\\', ''), steps: null, wildStart: false };
  const parts = text.match(/\\.|\[[!^]?\]?[^\]]*\]|./gsu) ?? [];
  return {
    text,
    wildStart: /^[*?[]/.test(text),
    steps: parts.map((part) => (part.length === 1 ? part : part.startsWith('[') ? '?' : part)),
  };
}

function isWild(name: string): boolean {
  return /[*?[]/.test(name);
}

/** Whether a name of a glob and a name of the list have a text in common. */
export function namesMeet(
  { text, steps, wildStart }: GlobName,
  listed: string,
  hidden: boolean,
): boolean {
  if (steps === null) return nameFits(listed, text);
  if (!hidden && wildStart && listed.startsWith('.')) return false;
  if (!letterMeets(steps[0], listed[0]) || !letterMeets(steps.at(-1), listed.at(-1))) return false;
  const reached = new Map<number, boolean>();
  const from = (one: number, other: number): boolean => {
    const key = one * 1024 + other;
    const known = reached.get(key);
    if (known !== undefined) return known;
    const step = steps[one];
    const letter = listed[other];
    let fits: boolean;
    if (step === undefined && letter === undefined) fits = true;
    else if (step === '*')
      fits = from(one + 1, other) || (letter !== undefined && from(one, other + 1));
    else if (letter === '*')
      fits = from(one, other + 1) || (step !== undefined && from(one + 1, other));
    else
      fits =
        step !== undefined &&
        letter !== undefined &&
        letterMeets(step, letter) &&
        from(one + 1, other + 1);
    reached.set(key, fits);
    return fits;
  };
  return from(0, 0);
}

/** Whether the first, or the last, letters of two patterns leave room for a common text. */
function letterMeets(step: string | undefined, letter: string | undefined): boolean {
  if (step === '*' || letter === '*' || step === '?') return true;
  return step === letter || step === `\\${letter ?? ''}`;
}
