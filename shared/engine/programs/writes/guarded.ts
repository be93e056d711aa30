import { longestPath } from '../../plan/paths.ts';
import { writtenPath } from '../effects.ts';
import type { Argument, Reading } from '../types.ts';
import type { GuardedUse, Surroundings } from '../../plan/types.ts';
import { couldMatch } from '../../places/could.ts';
import { listedMatches } from '../../places/listed.ts';
import { heldBelow, isGuardedUse, placeContext, useOf } from '../../places/context.ts';
import { placeOf } from '../../places/place-of.ts';
import type { PlaceContext, Placement } from '../../places/types.ts';
import { lookers } from '../changes.ts';
import { inWord, placesNamed } from './operands.ts';

/** They are given names and look into no file. */
const onlyNames: ReadonlySet<string> = new Set(
  `echo printf test [ ls stat which basename dirname cd pwd realpath readlink type du df file tree
  find fd fdfind gfind mkdir rmdir kill pkill pgrep sleep id whoami`.split(/\s+/),
);

/** They take away, move or change the rights of what they are given. */
const removers: ReadonlySet<string> = new Set(
  `rm unlink rmdir shred mv gmv grm chmod chown chgrp setfacl chattr truncate trash trash-put
  rename`.split(/\s+/),
);

/** Commands of git that take away or replace the files that they are given. */
const gitChangers = /^(?:rm|mv|checkout|restore|reset|stash|clean|apply|am|update-index)$/;

/** Settings by which Git starts a program, or reads more settings. */
const gitStarters =
  /^(?:core\.(?:hookspath|pager|editor|sshcommand|fsmonitor|attributesfile|gitproxy|askpass|worktree)|alias\.|credential\.|filter\.|diff\.external|include(?:if)?\.|url\.|gpg\.|pager\.|sequence\.|interactive\.|[\w.-]+\.(?:command|cmd|textconv|driver|program|path|helper|uploadpack|receivepack|proxy))/i;

/** Options whose value is a pattern or a text, not a file. */
const noFile =
  /^--?(?:exclude|ignore|include|message|glob|iglob|pattern|regexp|name|iname|path|m|g|e)$/;

/** The same in one word, where the value leaves files out or is a text. */
const leavesOut = /^--(?:exclude|exclude-dir|ignore|ignore-dir|message|regexp)=/;

/** Programs whose first operand is a pattern or a script, unless an option brings it. */
const patternFirst = /^(?:[ef]?grep|rg|ag|ack|g?sed|[gmn]?awk|jq|zgrep)$/;

/** Programs that go through folders when they are told to, hidden files included. */
const through: Readonly<Record<string, RegExp>> = {
  grep: /^-[A-Za-z]*[rR]|^--(?:dereference-)?recursive/,
  egrep: /^-[A-Za-z]*[rR]/,
  fgrep: /^-[A-Za-z]*[rR]/,
  rg: /^-[A-Za-z]*(?:\.|u)|^--(?:hidden|no-ignore|unrestricted)/,
  ag: /^-[A-Za-z]*[uU]|^--(?:hidden|unrestricted)/,
  cp: /^-[A-Za-z]*[rRa]|^--(?:recursive|archive)/,
  rsync: /^-[A-Za-z]*[ra]|^--(?:recursive|archive)/,
  scp: /^-[A-Za-z]*r/,
  zip: /^-[A-Za-z]*r/,
  tar: /^-?[A-Za-z]*[cru]|^--create/,
};

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

/** What a program does in guarded places, as far as its arguments name them. In doubt it writes. */
export function guardedOperands(
  args: readonly Argument[],
  program: string,
  at: GuardPlace,
): readonly GuardedUse[] {
  const plain = placeContext(at.surroundings, at.cwd);
  const context = { ...plain, placeOf: placer(at, plain) };
  const changes = removers.has(program) || !onlyLooks(program, args);
  const found = [
    ...(changes ? written(args, program, context) : []),
    ...(onlyNames.has(program) ? [] : read(args, program, context)),
    ...(program === 'git' ? gitSettings(args, context) : []),
  ];
  const once = new Map(found.map((each) => [`${each.use} ${each.placement.path}`, each]));
  return [...once.values()];
}

function onlyLooks(program: string, args: readonly Argument[]): boolean {
  if (program === 'sed' || program === 'gsed')
    return !args.some(({ text }) => /^-[nErsuz]*i|^--i/.test(text));
  return lookers.has(program) || onlyNames.has(program);
}

function written(
  args: readonly Argument[],
  program: string,
  context: Looking,
): readonly GuardedUse[] {
  const { words, inFolders } = placesNamed(program, args);
  const all = removers.has(program) || changesTree(program, args);
  const named = all ? [...new Set([...words, ...args.flatMap(({ text }) => inWord(text))])] : words;
  const literal = named.flatMap((word) => useOf('write', word, context.placeOf(word)));
  const landed = inFolders.flatMap(([folder, name]) =>
    useOf('write', folder, context.placeOf(`${folder}/${name}`)),
  );
  const below = removers.has(program)
    ? args.flatMap(({ text }) => belowWord(text, 'write', context))
    : [];
  return [...literal, ...landed, ...below, ...matched(args, 'write', context)];
}

/** The same for what its record says of the arguments, however they are spelled. */
export function guardedEffects(
  { effects }: Reading,
  args: readonly Argument[],
  at: GuardPlace,
): readonly GuardedUse[] {
  const place = placer(at, placeContext(at.surroundings, at.cwd));
  return effects.flatMap((effect) => {
    if (effect.kind !== 'path' || effect.live === true) return [];
    if (effect.path.length > longestPath) return [];
    const word = args[effect.word]?.text ?? effect.path;
    return useOf(effect.use === 'reads' ? 'read' : 'write', word, place(writtenPath(effect)));
  });
}

function changesTree(program: string, args: readonly Argument[]): boolean {
  return program === 'git' && args.some(({ text }) => gitChangers.test(text));
}

function read(args: readonly Argument[], program: string, context: Looking): readonly GuardedUse[] {
  const words = fileWords(args, program);
  const literal = words
    .flatMap(inWord)
    .flatMap((word) => useOf('read', word, context.placeOf(word.replace(/^@/, ''))));
  const option = Object.hasOwn(through, program) ? through[program] : undefined;
  const deep = option !== undefined && args.some(({ text }) => option.test(text));
  const below = deep ? words.flatMap((word) => belowWord(word, 'read', context)) : [];
  return [...literal, ...below, ...matched(args, 'read', context)];
}

/** Words that may be files: not the value of an option for a pattern, nor a pattern itself. */
function fileWords(args: readonly Argument[], program: string): readonly string[] {
  const brought = args.some(({ text }) =>
    /^-[A-Za-z]*[ef]|^--(?:regexp|file|expression)/.test(text),
  );
  let skipped = !patternFirst.test(program) || brought;
  return args.flatMap(({ text, live }, index) => {
    if (live !== null || /\s/.test(text) || leavesOut.test(text)) return [];
    if (noFile.test(args[index - 1]?.text ?? '')) return [];
    if (!skipped && !text.startsWith('-')) {
      skipped = true;
      return [];
    }
    return [text];
  });
}

function belowWord(word: string, use: GuardedUse['use'], context: Looking): readonly GuardedUse[] {
  if (word.startsWith('-') || word === '' || context.cwd === null) return [];
  const path = word.startsWith('/') ? word : `${context.cwd}/${word}`;
  const held = heldBelow(path, use, context);
  return held === null || !isGuardedUse(use, held) ? [] : [{ use, word, placement: held }];
}

/** File name patterns: what they match where that can be seen, else a hidden name that they may be. */
function matched(
  args: readonly Argument[],
  use: GuardedUse['use'],
  context: Looking,
): readonly GuardedUse[] {
  return args.flatMap(({ text, live }) => {
    if (live !== 'pattern') return [];
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
  });
}

function gitSettings(args: readonly Argument[], context: Looking): readonly GuardedUse[] {
  const words = args.map(({ text }) => text);
  if (!words.includes('config')) return [];
  const at = words.findIndex((word) => gitStarters.test(word));
  const taken = words.some((word) =>
    /^--(?:unset|remove|rename|replace|add|edit)|^-e$|^edit$/.test(word),
  );
  const sets = at >= 0 && (at < words.length - 1 || taken);
  if (!sets && !words.some((word) => /^(?:--edit|-e|edit)$/.test(word))) return [];
  const key = words[at] ?? 'config';
  const placement = context.placeOf('.git/config');
  return useOf('write', key, placement);
}
