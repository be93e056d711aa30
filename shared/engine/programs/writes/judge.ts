import { writtenPath } from '../effects.ts';
import type { Argument, Reading } from '../types.ts';
import { isBelow, joinPath, longestPath, parentOf } from '../../plan/paths.ts';
import { realTarget } from '../../plan/paths.ts';
import type { Surroundings } from '../../plan/types.ts';
import { open, pinned, type Finding } from '../finding.ts';
import { lookers } from '../changes.ts';
import { recordOf } from '../list.ts';
import { placesNamed } from './operands.ts';
import { byName, placeContext } from '../../places/context.ts';
import { couldHold } from '../../places/could.ts';
import { isRecipe } from '../../places/list/recipes.ts';
import { guards, placeOf } from '../../places/place-of.ts';
import type { Placement } from '../../places/types.ts';
import { unpackedInto } from './unpack.ts';

export interface WritePlace {
  readonly cwd: string | null;
  readonly surroundings: Surroundings;
}

/** They write where a relative name leads, so in a folder that is not known they may write anything. */
const plainWriters: ReadonlySet<string> = new Set(
  `cp mv install ln tee touch truncate dd sort sed curl wget rsync scp tar unzip patch sd sponge`.split(
    ' ',
  ),
);

/** They change what is known of a file, and not what is in it. */
const keepsContent: ReadonlySet<string> = new Set(
  `touch chmod chown chgrp setfacl chattr`.split(' '),
);

/** A hidden name that is not written out: `.g*`. */
const hiddenPattern = /(?:^|[/=])\.[^/*?[]*[*?[]/;

/**
 * Pinned where an argument of a program that writes, or may write, names a place from which
 * something runs later, or where it unpacks names of others into a folder that has such places.
 */
export function judgeWrites(args: readonly Argument[], program: string, at: WritePlace): Finding {
  const { words: named, inFolders } = placesNamed(program, args);
  const landings = inFolders.flatMap(([folder, name]) =>
    mayBeFolder(folder, at) ? [`${folder}/${name}`] : [],
  );
  const paths = new Set([...named, ...landings].flatMap((word) => pathsOf(word, program, at)));
  // Where the paths lead was followed above, as the program does it.
  const context = byName(placeContext(at.surroundings, '/'));
  const found = [...paths].map((path) => placeOf(path, context));
  for (const { place, path } of found)
    if (place === 'own') return pinned(`${path} belongs to Interlock itself`);
  if (onlyLooks(program, args)) return open;
  for (const placement of found)
    if (guards(placement) || placement.place === 'metadata')
      return pinned(`${program} may write ${placement.path}, which ${placement.reason}`);
  // A context without the folder knows no project.
  if (plainWriters.has(program))
    for (const path of paths) {
      const placement = placeOf(path, byName(placeContext(at.surroundings, at.cwd)));
      if (isRecipe(placement) && !keepsContent.has(program))
        return pinned(`${program} may write ${path}, which ${placement.reason}`);
    }
  if (args.some(({ text, live }) => live === 'pattern' && hiddenPattern.test(text)))
    return pinned(`${program} may write a hidden file that is not written out`);
  if (at.cwd === null && plainWriters.has(program) && named.some((word) => /^[^/~-]/.test(word)))
    return pinned(`${program} may write anywhere: its folder is not known`);
  for (const word of unpackedInto(program, args)) {
    const [path = ''] = pathsOf(word, program, at);
    if (couldHold(path, placeContext(at.surroundings, at.cwd)) !== null)
      return pinned(
        `${program} takes the names of files in ${path} from others, and some run later`,
      );
  }
  return open;
}

/** The same for what a reading says surely happens, however the words are spelled. */
export function judgeEffects(reading: Reading, at: WritePlace): Finding {
  const named = byName(placeContext(at.surroundings, '/'));
  const inProject = byName(placeContext(at.surroundings, at.cwd));
  for (const effect of reading.effects) {
    if (effect.kind !== 'path' || effect.path.length > longestPath) continue;
    if (effect.base !== undefined && !mayBeFolder(effect.base, at)) continue;
    for (const path of pathsOf(writtenPath(effect), reading.program, at)) {
      const placement = placeOf(path, named);
      if (placement.place === 'own') return pinned(`${path} belongs to Interlock itself`);
      if (effect.use === 'reads') continue;
      const deletes = effect.use === 'deletes';
      if (!deletes && (guards(placement) || placement.place === 'metadata'))
        return pinned(`${reading.program} may write ${path}, which ${placement.reason}`);
      if (
        !deletes &&
        effect.use !== 'into' &&
        isRecipe(placeOf(path, inProject)) &&
        ownWords(reading)
      )
        return pinned(
          `${reading.program} may write ${path}, which ${placeOf(path, inProject).reason}`,
        );
      // What a link holds counts from the folder of the link, which is not ours to follow here.
      const isLinked = reading.program === 'ln' && !/^[/~]/.test(effect.path);
      if (isLinked && leadsOut(reading, effect.path, at))
        return pinned(`ln makes a link to ${effect.path}, which lies outside of the project`);
      if (!isLinked && isOutside(placement, path, at))
        return pinned(
          `${reading.program} ${deletes ? 'deletes' : 'writes'} ${path}, which lies outside of the project`,
        );
      // Git keeps its own rules for the names that it takes from others.
      const opens =
        effect.use === 'into' &&
        reading.program !== 'git' &&
        // It puts its link in the place of a file.
        !(reading.program === 'ln' && at.surroundings.files.facts(path)?.kind === 'file');
      if (opens && couldHold(path, placeContext(at.surroundings, at.cwd)) !== null)
        return pinned(
          `${reading.program} takes the names of files in ${path} from others, and some run later`,
        );
    }
  }
  return open;
}

/** Where a relative link leads that is made in the folder of the last operand, or in that itself. */
function leadsOut({ operands }: Reading, target: string, at: WritePlace): boolean {
  const last = operands.at(-1)?.text ?? '.';
  const { cwd } = at;
  if (cwd === null || !/(?:^|\/)\.\.(?:\/|$)/.test(target) || target === last) return false;
  const link = joinPath(cwd, last);
  const folder = at.surroundings.files.facts(link)?.kind === 'directory' ? link : parentOf(link);
  const place = placeOf(joinPath(folder, target), byName(placeContext(at.surroundings, '/')));
  return isOutside(place, place.path, at);
}

/** It puts there what an agent says: not what Git keeps, nor what the project's own tools make of it. */
function ownWords({ program }: Reading): boolean {
  if (program === 'git' || keepsContent.has(program) || lookers.has(program)) return false;
  return recordOf(program)?.project === undefined;
}

/** Neither in the folder of the command nor in a workspace, and nothing that is there for a while. */
function isOutside({ place }: Placement, path: string, { cwd, surroundings }: WritePlace): boolean {
  if (cwd === null || place === 'temporary' || path.startsWith('/dev/')) return false;
  return ![cwd, ...surroundings.workspaces].some((folder) => isBelow(path, folder));
}

/** A name that is there and is no folder, or is not there at all, becomes a file itself. */
function mayBeFolder(word: string, { cwd, surroundings }: WritePlace): boolean {
  if (word.endsWith('/') || cwd === null) return true;
  const path = joinPath(cwd, word.replace(/^~(?=\/|$)/, surroundings.home));
  return surroundings.files.facts(path)?.kind === 'directory';
}

function onlyLooks(program: string, args: readonly Argument[]): boolean {
  if (program === 'sed' || program === 'gsed')
    return !args.some(({ text }) => /^-[nErsuz]*i|^--i/.test(text));
  return lookers.has(program);
}

/** The path that a word stands for, as the links of the file system lead and as written. */
function pathsOf(
  word: string,
  program: string,
  { cwd, surroundings }: WritePlace,
): readonly string[] {
  const { home, files } = surroundings;
  const expanded = /^~(?=\/|$)/.test(word) ? home + word.slice(1) : word;
  // A leading slash lets the table see a name in a folder that is not known.
  if (cwd === null && !expanded.startsWith('/')) return [`/./${expanded}`];
  const written = joinPath(cwd ?? '/', expanded);
  const real = realTarget(files, cwd, expanded);
  // Nothing lies below a file.
  if (real !== null && files.facts(parentOf(real))?.kind === 'file') return [];
  // These put their own file in the place of a link, and do not write through it.
  const replaced = (program === 'ln' || program === 'mv') && files.isLink(written);
  if (replaced && real !== null && files.facts(real)?.kind !== 'directory') return [written];
  return real === null || real === written ? [written] : [real, written];
}
