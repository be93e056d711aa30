import { longestPath } from '../../plan/paths.ts';
import type { GuardedUse, Surroundings } from '../../plan/types.ts';
import { heldBelow, isGuardedUse, placeContext, useOf } from '../../places/context.ts';
import { couldMatch } from '../../places/could.ts';
import { listedMatches } from '../../places/listed.ts';
import { placeOf } from '../../places/place-of.ts';
import type { PlaceContext, Placement } from '../../places/types.ts';
import { writtenPath } from '../effects.ts';
import { recordOf } from '../list.ts';
import { isSure, onlyRuns } from '../named.ts';
import { inWord } from '../names.ts';
import type { Argument, Effect, Reading } from '../types.ts';

/** Options whose value is a pattern or a text, not a file. */
const noFile =
  /^--?(?:exclude|ignore|include|message|glob|iglob|pattern|regexp|name|iname|path|m|g|e)$/;

/** The same in one word, where the value leaves files out or is a text. */
const leavesOut = /^--(?:exclude|exclude-dir|ignore|ignore-dir|message|regexp)=/;

interface Looking extends PlaceContext {
  readonly placeOf: (word: string) => Placement;
}

export interface GuardPlace {
  readonly cwd: string | null;
  readonly surroundings: Surroundings;
  /** Stands for the request: within it a word is looked up once. */
  readonly request: object;
}

const looked = new WeakMap<object, Map<string, Placement>>();

/** Carried commands name the same words again and again. */
function placer({ request, cwd }: GuardPlace, context: PlaceContext): (word: string) => Placement {
  const known = looked.get(request) ?? new Map<string, Placement>();
  looked.set(request, known);
  return (word) => {
    const key = `${cwd ?? ''}\0${word}`;
    const found = known.get(key) ?? placeOf(word, context);
    known.set(key, found);
    return found;
  };
}

/**
 * What a program does in guarded places: as its record says, and, where that leaves something open,
 * as far as its words name them. In doubt it writes.
 */
export function guardedUses(
  name: string,
  reading: Reading | null,
  args: readonly Argument[],
  at: GuardPlace,
): readonly GuardedUse[] {
  const plain = placeContext(at.surroundings, at.cwd);
  const context = { ...plain, placeOf: placer(at, plain) };
  const record = recordOf(name);
  const also = reading === null ? undefined : record?.touches?.(reading, args);
  // A record that vouches for its effects is believed; of another, words that name a place count too.
  const unsure = !isSure(reading) || record?.held === undefined;
  const found = [
    ...(reading?.effects ?? []).flatMap((one) => ofEffect(one, name, args, context)),
    ...(unsure && !onlyRuns(record) ? ofWords('write', mayBeWritten(reading, args), context) : []),
    ...(record?.onlyNames === true ? [] : patterns('read', args, context)),
    ...((unsure || record?.runs !== undefined) && record?.onlyNames !== true
      ? ofWords('read', args, context)
      : []),
    ...(also?.reads ?? []).flatMap((word) => useOf('read', word, context.placeOf(word))),
    ...(also?.writes ?? []).flatMap((word) => [
      ...useOf('write', word, context.placeOf(word)),
      ...belowWord(word, 'write', context),
    ]),
  ];
  const once = new Map(found.map((each) => [`${each.use} ${each.placement.path}`, each]));
  return [...once.values()];
}

/** All words but those of which the reading says that they are no more than read. */
function mayBeWritten(reading: Reading | null, args: readonly Argument[]): readonly Argument[] {
  const only = (reading?.effects ?? []).flatMap((one) =>
    one.kind === 'path' && one.only === true ? [one.word] : [],
  );
  return only.length === 0 ? args : args.filter((_, word) => !only.includes(word));
}

function ofEffect(
  effect: Effect,
  program: string,
  args: readonly Argument[],
  context: Looking,
): readonly GuardedUse[] {
  if (effect.kind !== 'path' || effect.path.length > longestPath) return [];
  const use = effect.use === 'reads' ? 'read' : 'write';
  const written = writtenPath(effect);
  const record = recordOf(program);
  if (effect.live === true) return use === 'read' ? [] : matched(written, use, context);
  const word = args[effect.word]?.text ?? effect.path;
  const whole = effect.use === 'deletes' || (use === 'write' && record?.keepsContent === true);
  return [
    ...useOf(use, word, context.placeOf(written)),
    ...(whole ? belowWord(written, 'write', context) : []),
    ...(effect.use === 'into' ? belowWord(written, 'write', context) : []).filter(
      ({ placement }) => placement.place === 'own',
    ),
  ];
}

/** Each word that may be a file, what stands behind its `=`, and what patterns stand for. */
function ofWords(
  use: GuardedUse['use'],
  args: readonly Argument[],
  context: Looking,
): readonly GuardedUse[] {
  const words = use === 'write' ? targetWords(args) : fileWords(args);
  return [
    ...words
      .flatMap(inWord)
      .flatMap((word) =>
        useOf(use, word, context.placeOf(use === 'read' ? word.replace(/^@/, '') : word)),
      ),
    ...patterns(use, args, context),
  ];
}

function patterns(
  use: GuardedUse['use'],
  args: readonly Argument[],
  context: Looking,
): readonly GuardedUse[] {
  return args.flatMap(({ text, live }) => (live === 'pattern' ? matched(text, use, context) : []));
}

/** Words that may be written: all but what is left out by a pattern. */
function targetWords(args: readonly Argument[]): readonly string[] {
  return args.flatMap(({ text }, index) =>
    leavesOut.test(text) || /^--(?:exclude|ignore)$/.test(args[index - 1]?.text ?? '')
      ? []
      : [text],
  );
}

/** Words that may be files: not the value of an option for a pattern. */
function fileWords(args: readonly Argument[]): readonly string[] {
  return args.flatMap(({ text, live }, index) => {
    if (live !== null || /\s/.test(text) || leavesOut.test(text)) return [];
    return noFile.test(args[index - 1]?.text ?? '') ? [] : [text];
  });
}

function belowWord(word: string, use: GuardedUse['use'], context: Looking): readonly GuardedUse[] {
  if (word.startsWith('-') || word === '' || context.cwd === null) return [];
  const path = word.startsWith('/') ? word : `${context.cwd}/${word}`;
  const held = heldBelow(path, use, context);
  return held === null || !isGuardedUse(use, held) ? [] : [{ use, word, placement: held }];
}

/** File name patterns: what they match where that can be seen, else a hidden name that they may be. */
function matched(text: string, use: GuardedUse['use'], context: Looking): readonly GuardedUse[] {
  const among =
    use === 'write' ? (['own', 'secret', 'steers'] as const) : (['own', 'secret'] as const);
  const folder = text.slice(0, text.search(/[*?[]/)).replace(/[^/]*$/, '');
  const named = folder === '' ? [] : useOf(use, text, context.placeOf(folder));
  if (named.length > 0) return named;
  const isHidden = /(?:^|[/=])\.[^/*?[]*[*?[]/.test(text);
  if (!isHidden && listedMatches(text, context) === null) return [];
  const found = couldMatch(text, context, { hidden: false, among });
  if (found === null) return [];
  const reach = Number.MAX_SAFE_INTEGER;
  return [{ use, word: text, placement: { ...found, path: text, reach, disarms: false } }];
}
