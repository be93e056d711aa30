import { once } from '../../base/index.ts';
import { recordOf } from '../programs/list.ts';
import { readArguments } from '../programs/read.ts';
import { secretPlaces, type SecretPlace } from '../programs/records/secrets.ts';
import type { Grammar, ProgramRecord } from '../programs/types.ts';
import type { Hidden } from './redact.ts';
import type { TextCommand, TextWord } from './words.ts';

/** A stretch of a word: indexes of its own characters. */
export interface InWord extends Hidden {
  readonly word: TextWord;
}

/** So many words of a command may begin one: wrappers in front of wrappers. */
const mostStarts = 6;
const mostWords = 2_000;

/** A place as the words are compared with it. */
interface Known extends Omit<SecretPlace, 'command' | 'options' | 'glued'> {
  readonly command: readonly string[];
  readonly options: readonly string[];
  readonly glued: readonly string[];
}

const split = (text = ''): readonly string[] => text.split(/\s+/u).filter((one) => one !== '');

const places = once((): ReadonlyMap<string, readonly Known[]> => {
  const found = new Map<string, Known[]>();
  for (const place of secretPlaces) {
    const known = {
      ...place,
      command: split(place.command),
      options: split(place.options),
      glued: split(place.glued),
    };
    for (const name of split(place.programs)) found.set(name, [...(found.get(name) ?? []), known]);
  }
  return found;
});

const takesSecrets = new WeakMap<ProgramRecord, boolean>();

/** The record of a program of which some option, also of a subcommand, takes a secret. */
function recordWithSecrets(name: string): ProgramRecord | null {
  const record = recordOf(name);
  if (record === null) return null;
  let takes = takesSecrets.get(record);
  if (takes === undefined) {
    takes = hasSecret(record.grammar);
    takesSecrets.set(record, takes);
  }
  return takes ? record : null;
}

function hasSecret({ options = {}, commands = {} }: Grammar): boolean {
  return (
    Object.values(options).some(({ kind }) => kind === 'secret') ||
    Object.values(commands).some(hasSecret)
  );
}

/** Also what stands behind `ProxyCommand=`. */
const baseName = (word: string): string =>
  word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('=')) + 1).replace(/\.exe$/iu, '');

/**
 * What the programs of a text take as secrets, by their records. A program is looked for at every
 * word, so that it is found behind whatever runs it.
 */
export function* programSecrets(commands: readonly TextCommand[]): Generator<InWord> {
  for (const [index, { words: all }] of commands.entries()) {
    const words = all.slice(0, mostWords);
    const before = commands[index - 1];
    // In a record it is always an option that takes one; most texts have none, and need no records.
    const lastOption = words.findLastIndex(({ text }) => text.startsWith('-'));
    let starts = 0;
    for (const [at, { text }] of words.entries()) {
      const name = baseName(text);
      const known = places().get(name) ?? [];
      const record = at < lastOption ? recordWithSecrets(name) : null;
      if (known.length === 0 && record === null) continue;
      starts += 1;
      if (starts > mostStarts) break;
      const args = words.slice(at + 1);
      for (const place of known) yield* secretsAt(place, args, before);
      if (record !== null) yield* readSecrets(record, args);
    }
  }
}

function* readSecrets(record: ProgramRecord, args: readonly TextWord[]): Generator<InWord> {
  const { options } = readArguments(
    record,
    args.map(({ text }) => ({ text, live: null })),
  );
  for (const { use, value, valueWord, name } of options) {
    const word = args[valueWord];
    if (use.kind !== 'secret' || value === null || value === '' || word === undefined) continue;
    const from = Math.max(0, word.text.length - value.length);
    yield* hidden(word, from, splitsAt(name));
  }
}

/** `user:password` and `name=value` keep what stands in front. */
function splitsAt(option: string): RegExp | undefined {
  if (/user|creds|^-[uU]$/u.test(option)) return /^[^:]*(?::|$)/u;
  return option === '--from-literal' ? /^[^=]*=/u : undefined;
}

function* secretsAt(
  place: Known,
  args: readonly TextWord[],
  before: TextCommand | undefined,
): Generator<InWord> {
  const { when, input, keep, options, glued } = place;
  const behind = behindCommand(place.command, args);
  if (behind === null) return;
  if (when !== undefined && !when.test(args.map(({ text }) => text).join(' '))) return;
  const operands: TextWord[] = [];
  for (let at = behind; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) break;
    const { text } = word;
    const option = options.find((name) => text === name);
    const next = args[at + 1];
    if (option !== undefined && next !== undefined) {
      if (!next.text.startsWith('--')) yield* hidden(next, 0, keep);
      at += 1;
      continue;
    }
    const start = gluedAt(text, options, glued);
    if (start > 0) yield* hidden(word, start, keep);
    else if (!text.startsWith('-') && !word.isHereString) operands.push(word);
  }
  if (place.pairs === true)
    for (const word of operands)
      if (/^[\w./@-]+=/u.test(word.text)) yield* hidden(word, 0, /^[^=]*=/u);
  const operand = place.operand === undefined ? undefined : operands.at(place.operand);
  if (operand !== undefined && !/^[\w./-]+=/u.test(operand.text)) yield* hidden(operand, 0, keep);
  if (input !== undefined && (input.source === '.' || args.some(({ text }) => input.test(text))))
    yield* ofInput(args, before);
}

/** Index of the first word behind the words of a subcommand, other options among them; null where they are not there. */
function behindCommand(command: readonly string[], args: readonly TextWord[]): number | null {
  let at = 0;
  for (const name of command) {
    const found = args.findIndex(({ text }, index) => index >= at && text === name);
    if (found === -1) return null;
    at = found + 1;
  }
  return at;
}

function gluedAt(text: string, options: readonly string[], glued: readonly string[]): number {
  for (const name of options) {
    if (!text.startsWith(name)) continue;
    const rest = text.charAt(name.length);
    if (rest === '=' || (rest === ':' && name.startsWith('/'))) return name.length + 1;
    if (/^-[A-Za-z]$/u.test(name) && rest !== '') return name.length;
  }
  for (const name of glued)
    if (text.startsWith(name) && text.length > name.length) return name.length;
  return 0;
}

/** What `echo` or a here-string hands to a program that takes its secret from its input. */
function* ofInput(args: readonly TextWord[], before: TextCommand | undefined): Generator<InWord> {
  for (const word of args) if (word.isHereString) yield* hidden(word, 0);
  if (before === undefined || !before.isPiped) return;
  const first = before.words.findIndex(({ text }) =>
    /^(?:.*\/)?(?:echo|printf|print)$/u.test(text),
  );
  if (first === -1) return;
  for (const word of before.words.slice(first + 1))
    if (!/^-[neE]+$|^(?:%[a-z]|\\n)+$/u.test(word.text)) yield* hidden(word, 0);
}

/** A value that only names where the secret is. */
const points = /^(?:(?:env|file|fd|op|arn):.*|stdin|\$\{?\w+\}?|\$\w+[:%/]\$\w+|-|@.*|\$\(.*)$/u;

function* hidden(word: TextWord, from: number, keep?: RegExp): Generator<InWord> {
  const value = word.text.slice(from);
  const kept = keep?.exec(value)?.[0].length ?? 0;
  const rest = value.slice(kept);
  if (rest === '' || rest.startsWith('[redacted]') || points.test(rest)) return;
  yield { word, from: from + kept, to: word.text.length };
}
