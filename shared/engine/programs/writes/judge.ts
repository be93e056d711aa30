import { writtenPath } from '../effects.ts';
import type { Argument, Effect, PathUse, Reading } from '../types.ts';
import { isBelow, joinPath, longestPath, parentOf } from '../../plan/paths.ts';
import { realTarget } from '../../plan/paths.ts';
import type { Surroundings } from '../../plan/types.ts';
import { never, open, pinned, type Finding } from '../finding.ts';
import { recordOf } from '../list.ts';
import { onlyRuns } from '../named.ts';
import { inWord } from '../names.ts';
import { output } from '../records/shapes.ts';
import { byName, isHidden, placeContext } from '../../places/context.ts';
import { couldHold } from '../../places/could.ts';
import { hiddenReason, isRecipe } from '../../places/list/recipes.ts';
import { listedMatches } from '../../places/listed.ts';
import { guards, placeOf } from '../../places/place-of.ts';
import type { Placement } from '../../places/types.ts';

export interface WritePlace {
  readonly cwd: string | null;
  /** The part of the command went out of the project that it was asked for in: `cd / && rm -rf *`. */
  readonly isElsewhere: boolean;
  readonly surroundings: Surroundings;
}

/** A hidden name that is not written out: `.g*`. */
const hiddenPattern = /(?:^|[/=])\.[^/*?[]*[*?[]/;

/**
 * Pinned where a word of a program that may write, as far as is known, names a place from which
 * something runs later.
 */
export function judgeWords(args: readonly Argument[], program: string, at: WritePlace): Finding {
  const words = args.flatMap(({ text }) => inWord(text));
  const paths = new Set(words.flatMap((word) => pathsOf(word, program, at)));
  // Where the paths lead was followed above, as the program does it.
  const context = byName(placeContext(at.surroundings, '/'));
  const found = [...paths].map((path) => placeOf(path, context));
  for (const { place, path } of found)
    if (place === 'own') return pinned(`${path} belongs to Interlock itself`);
  if (recordOf(program) === null) {
    const written = judgeUnknownWords(args, program, at);
    if (written !== open) return written;
  }
  if (onlyRuns(recordOf(program))) return open;
  for (const placement of found)
    if (guards(placement) || placement.place === 'metadata')
      return pinned(`${program} may write ${placement.path}, which ${placement.reason}`);
  return args.some(({ text, live }) => live === 'pattern' && hiddenPattern.test(text))
    ? pinned(`${program} may write a hidden file that is not written out`)
    : open;
}

/** Options of which any program reads the value, or which name no file. */
const onlyTaken =
  /^--?(?:config|config-file|settings|rcfile|include|exclude|ignore|ignore-file|ignore-path|input|schema|manifest-path|tsconfig|requirement|message|pattern|glob)$/;

/**
 * Of a program of which nothing is known: what its words, or parts of them, lead to. Which of its
 * options and operands name an output nobody can tell, so none may name what steers the project.
 */
function judgeUnknownWords(args: readonly Argument[], program: string, at: WritePlace): Finding {
  const inProject = byName(placeContext(at.surroundings, at.cwd));
  const words = args.flatMap(({ text }, index) => {
    const before = args[index - 1]?.text ?? '';
    const isTaken = onlyTaken.test(/^(-[^=:]*)[=:]/.exec(text)?.[1] ?? before);
    return isTaken || /\s/.test(text) ? [] : partsOf(text);
  });
  for (const word of new Set(words))
    for (const path of pathsOf(word, program, at)) {
      const placement = placeOf(path, inProject);
      if (isRecipe(placement))
        return pinned(`${program} may write ${path}, which ${placement.reason}`);
      if (/^\.[^./]|\/\.[^./]/.test(word) && isHidden(placement, at.cwd))
        return pinned(`${program} may write ${path}, which ${hiddenReason}`);
      if (isOutside(placement, path, at))
        return pinned(`${program} may write ${path}, which lies outside of the project`);
    }
  return judgeOutputs(args, program, at);
}

/** The value of a variable: no part of it may be a file that steers the project, or lead out of it. */
export function judgeValue(name: string, value: string, at: WritePlace): Finding {
  if (value.length > longestPath || /^[\w-]*$/.test(value)) return isRecipeName(name, value, at);
  const inProject = byName(placeContext(at.surroundings, at.cwd));
  const parts = value.split(/[\s,:;=]+/).filter((one) => one !== '' && !one.startsWith('//'));
  for (const part of new Set([value, ...parts].filter((one) => !one.includes('://'))))
    for (const path of pathsOf(part, name, at)) {
      const placement = placeOf(path, inProject);
      if (isRecipe(placement) || guards(placement))
        return never(`${name} names ${path}, which ${placement.reason}`);
      if (/^\.[^./]|\/\.[^./]/.test(part) && isHidden(placement, at.cwd))
        return never(`${name} names ${path}, which ${hiddenReason}`);
      const leads = /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(part);
      if (leads && isOutside(placement, path, at))
        return never(`${name} names ${path}, which lies outside of the project`);
    }
  return open;
}

function isRecipeName(name: string, value: string, at: WritePlace): Finding {
  if (value === '' || value.length > longestPath) return open;
  const placement = placeOf(
    `${at.cwd ?? '/.'}/${value}`,
    byName(placeContext(at.surroundings, at.cwd)),
  );
  return isRecipe(placement) ? never(`${name} names ${value}, which ${placement.reason}`) : open;
}

/** A word, what stands behind a sign in it, and what may be glued to the letters of an option. */
function partsOf(text: string): readonly string[] {
  const found = [...inWord(text), ...text.split(/[,:;=]/), text.replace(/^[@+]/, '')];
  for (let at = text.search(/[,:;=]/); at !== -1;) {
    found.push(text.slice(at + 1));
    const next = text.slice(at + 1).search(/[,:;=]/);
    at = next === -1 ? -1 : at + 1 + next;
  }
  return found.filter((one) => one !== '' && !one.startsWith('-') && one.length <= longestPath);
}

/** Of a program of which nothing is known: what an option that names its output leads to. */
function judgeOutputs(args: readonly Argument[], program: string, at: WritePlace): Finding {
  const inProject = byName(placeContext(at.surroundings, at.cwd));
  const named = args.flatMap(({ text }, index) => {
    const [, option = text, attached] = /^(-[^=:]*)[=:](.*)$/s.exec(text) ?? [];
    if (!text.startsWith('-') || !output.test(option)) return [];
    const glued = /^-[oO]([^=-].*)$/s.exec(text)?.[1];
    return [attached ?? glued ?? args[index + 1]?.text ?? ''];
  });
  for (const word of named.filter((one) => one !== '' && !one.startsWith('-')))
    for (const path of pathsOf(word, program, at)) {
      const placement = placeOf(path, inProject);
      if (isRecipe(placement))
        return pinned(`${program} may write ${path}, which ${placement.reason}`);
      if (isHidden(placement, at.cwd))
        return pinned(`${program} may write ${path}, which ${hiddenReason}`);
      if (isOutside(placement, path, at))
        return pinned(`${program} may write ${path}, which lies outside of the project`);
    }
  return open;
}

/** The same for what a reading says surely happens, however the words are spelled. */
export function judgeEffects(reading: Reading, at: WritePlace): Finding {
  const record = recordOf(reading.program);
  const named = byName(placeContext(at.surroundings, '/'));
  const inProject = byName(placeContext(at.surroundings, at.cwd));
  for (const effect of reading.effects) {
    if (effect.kind !== 'path' || effect.path.length > longestPath) continue;
    if (effect.base !== undefined && !mayBeFolder(effect.base, at)) continue;
    const paths = pathsOf(writtenPath(effect), reading.program, at);
    for (const path of [...paths, ...matchedBy(reading, effect, at)]) {
      const placement = placeOf(path, named);
      if (placement.place === 'own') return pinned(`${path} belongs to Interlock itself`);
      if (effect.use === 'reads') continue;
      const deletes = effect.use === 'deletes';
      if (deletes && record?.ownRules !== true && losesHistory(path, placement, effect, at))
        return pinned(`${reading.program} deletes ${path}, which is or holds the history of Git`);
      if (!deletes && effect.live === true && hiddenPattern.test(effect.path))
        return pinned(`${reading.program} may write a hidden file that is not written out`);
      if (
        !deletes &&
        at.cwd === null &&
        path.startsWith('/./') &&
        !(effect.use === 'edits' && record?.keepsContent === true) &&
        record?.project === undefined
      )
        return pinned(`${reading.program} may write anywhere: its folder is not known`);
      if (!deletes && (guards(placement) || placement.place === 'metadata'))
        return pinned(`${reading.program} may write ${path}, which ${placement.reason}`);
      const own = deletes || !ownWords(reading, effect) ? null : placeOf(path, inProject);
      if (own !== null && isRecipe(own))
        return pinned(`${reading.program} may write ${path}, which ${own.reason}`);
      if (own !== null && isHidden(own, at.cwd))
        return pinned(`${reading.program} may write ${path}, which ${hiddenReason}`);
      // What a link holds counts from the folder of the link, which is not ours to follow here.
      const isLinked = record?.links === 'makes' && !/^[/~]/.test(effect.path);
      if (isLinked && leadsOut(reading, effect.path, at))
        return pinned(
          `${reading.program} makes a link to ${effect.path}, which lies outside of the project`,
        );
      if (!isLinked && isOutside(placement, path, at))
        return pinned(
          `${reading.program} ${deletes ? 'deletes' : 'writes'} ${path}, which lies outside of the project`,
        );
      // Git keeps its own rules for the names that it takes from others.
      const opens =
        effect.use === 'into' &&
        (record?.ownRules !== true || takesPatch(reading)) &&
        // It puts its link in the place of a file.
        !(record?.links === 'makes' && at.surroundings.files.facts(path)?.kind === 'file');
      if (opens && couldHold(path, placeContext(at.surroundings, at.cwd)) !== null)
        return pinned(
          `${reading.program} takes the names of files in ${path} from others, and some run later`,
        );
    }
  }
  return open;
}

/** What Git keeps, and the folder that it keeps the history of; a lock that was left behind is neither. */
function losesHistory(
  path: string,
  { place }: Placement,
  { tree }: { readonly tree?: true },
  { surroundings: { files } }: WritePlace,
): boolean {
  if (place === 'metadata') return !path.endsWith('.lock');
  return tree === true && files.facts(joinPath(path, '.git')) !== null;
}

/** What a pattern of the shell has the program write: what it matches, under the same names elsewhere too. */
function matchedBy(
  { operands }: Reading,
  { use, live, base, path, word }: Extract<Effect, { kind: 'path' }>,
  { cwd, surroundings }: WritePlace,
): readonly string[] {
  if (live !== true || use === 'reads' || use === 'deletes' || cwd === null) return [];
  const text = operands.find((one) => one.word === word)?.text ?? path;
  const matches = listedMatches(text, placeContext(surroundings, cwd))?.paths ?? [];
  if (base === undefined) return matches;
  const folder = joinPath(cwd, base);
  return matches.map((one) => joinPath(folder, one.slice(one.lastIndexOf('/') + 1)));
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

/**
 * It puts there what an agent says: not what Git keeps, nor what the project's own tools make of it.
 * A file that a word has such a tool write anew (`-o Makefile`), or that comes from a service, is the
 * agent's choice all the same.
 */
function ownWords({ program }: Reading, { use, word }: { use: PathUse; word: number }): boolean {
  const record = recordOf(program);
  if (record?.keepsContent === true) return false;
  // `git mv` and the like: Git brings back what it keeps, and this is not that.
  if (record?.ownRules === true) return use === 'writes' && word !== -1;
  return (
    record?.project === undefined ||
    record.elsewhere !== undefined ||
    (use === 'writes' && word !== -1)
  );
}

const keepsNothing = /^\/dev\/(?:null|zero|full|tty|stdin|stdout|stderr|fd\/\d+)$/;

/** Of the names in a patch Git refuses only those outside and its own. */
function takesPatch({ program, command }: Reading): boolean {
  return program === 'git' && (command[0] === 'apply' || command[0] === 'am');
}

/** Neither in the folder of the command nor in a workspace, and nothing that is there for a while. */
function isOutside({ place }: Placement, path: string, at: WritePlace): boolean {
  const { cwd, isElsewhere, surroundings } = at;
  if (cwd === null || place === 'temporary' || keepsNothing.test(path)) return false;
  const folders = isElsewhere ? surroundings.workspaces : [cwd, ...surroundings.workspaces];
  return !folders.some((folder) => isBelow(path, folder));
}

/** A name that is there and is not a folder, or is not there at all, becomes a file itself. */
function mayBeFolder(word: string, { cwd, surroundings }: WritePlace): boolean {
  if (word.endsWith('/') || cwd === null) return true;
  const path = joinPath(cwd, word.replace(/^~(?=\/|$)/, surroundings.home));
  return surroundings.files.facts(path)?.kind === 'directory';
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
  const replaced = recordOf(program)?.replaces === true && files.isLink(written);
  if (replaced && real !== null && files.facts(real)?.kind !== 'directory') return [written];
  return real === null || real === written ? [written] : [real, written];
}
