import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { FormattingOptions, JSONPath, ParseError } from 'jsonc-parser';
import { isFields } from '../engine/index.ts';
import { findHooks } from './hook-command.ts';
import type { FoundHook } from './hook-command.ts';
import { fieldsOf } from './hook-entries.ts';
import type { HookEntry, HookFormat, HookPlan } from './hook-entries.ts';

/** A text that cannot be edited safely; the message goes on from the name of the file. */
export class UnfitText extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'UnfitText';
  }
}

/** How JSON text may be written. */
interface JsonDialect {
  /** Comments and trailing commas are allowed, and kept. */
  readonly comments: boolean;
}

/**
 * The object in JSON text. Throws `UnfitText` for anything else: such a file is for a person to
 * mend, and is not touched.
 */
export function parseObject(
  text: string,
  { comments }: JsonDialect,
): Readonly<Record<string, unknown>> {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, {
    disallowComments: !comments,
    allowTrailingComma: comments,
    allowEmptyContent: false,
  });
  const [error] = errors;
  if (error !== undefined)
    throw new UnfitText(
      `is not valid JSON: ${printParseErrorCode(error.error)} ${lineOf(text, error)}`,
    );
  if (!isFields(value)) throw new UnfitText('is not a JSON object');
  return value;
}

/** Sets what stands at a path, or takes it out where the value is undefined. The rest stays as it is. */
function setAt(text: string, path: JSONPath, value: unknown): string {
  return applyEdits(text, modify(text, path, value, { formattingOptions: formOf(text) }));
}

/** The text with these fields at its top; null takes a field out. An empty object is made where there is none. */
export function withFields(
  text: string | null,
  fields: Readonly<Record<string, unknown>>,
  dialect: JsonDialect,
): string {
  const start = text ?? '{}\n';
  parseObject(start, dialect);
  return Object.entries(fields).reduce(
    (now, [name, value]) => setAt(now, [name], value ?? undefined),
    start,
  );
}

/** Adds to the end of a list, which is made where there is none. */
function appendAt(text: string, path: JSONPath, value: unknown): string {
  const options = { formattingOptions: formOf(text), isArrayInsertion: true };
  return applyEdits(text, modify(text, [...path, -1], value, options));
}

/** What stands at a path; undefined where nothing does. */
function valueAt(text: string, path: JSONPath): unknown {
  const root = parseTree(text);
  const node = root === undefined ? undefined : findNodeAtLocation(root, path);
  return node === undefined ? undefined : getNodeValue(node);
}

/** The indentation and line ends that the text has. */
function formOf(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/mu.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 4 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}

function lineOf(text: string, { offset }: ParseError): string {
  return `in line ${String(text.slice(0, offset).split('\n').length)}`;
}

/**
 * The settings with our hooks as planned, and all else as it was: the hooks of others, their order,
 * comments, unknown fields and layout. `text` is null where there is no file yet. The same again for
 * a text that is as planned. Throws `UnfitText` where that cannot be done safely.
 */
export function withHooks(text: string | null, plan: HookPlan, format: HookFormat): string {
  return withEntries(text, format.entries(plan), format);
}

/**
 * What to leave behind: the text from before the hooks, byte for byte, where nothing else has
 * changed since; null where there was no file. Otherwise the present text without our hooks.
 */
export function restored(text: string, before: string | null, format: HookFormat): string | null {
  const entries = hooksOf(text, format).map(entryOf);
  return withEntries(before, entries, format) === text ? before : withoutHooks(text, format);
}

function withEntries(
  text: string | null,
  planned: readonly HookEntry[],
  format: HookFormat,
): string {
  const rooted = withRoot(text, format);
  requireLists(rooted, planned, format);
  const found = hooksOf(rooted, format);
  const kept = planned.map(({ event }) => found.find((one) => one.event === event && one.alone));
  const cleared = dropHooks(
    rooted,
    found.filter((one) => !kept.includes(one)),
    format,
  );
  const placed = planned.reduce((now, entry) => place(now, entry, format), cleared);
  if (sameEntries(hooksOf(placed, format).map(entryOf), planned)) return placed;
  throw new UnfitText('has a field twice, so that the host would not read what stands in it first');
}

function withRoot(text: string | null, format: HookFormat): string {
  if (text === null) return `${JSON.stringify(format.root, null, 2)}\n`;
  const there = parseObject(text, format);
  const lacking = Object.entries(format.root).filter(([field]) => !(field in there));
  return lacking.reduce((now, [field, value]) => setAt(now, [field], value), text);
}

/** The settings without any hook of ours; lists that are empty then go too. */
export function withoutHooks(text: string, format: HookFormat): string {
  return dropHooks(text, hooksOf(text, format), format);
}

/** Our hooks in a text; throws `UnfitText` where it cannot be read. */
export function hooksOf(text: string, format: HookFormat): readonly FoundHook[] {
  return findHooks(parseObject(text, format));
}

/** In the place of the one that is there, else at the end: the places of others stay what they are. */
function place(text: string, { event, value }: HookEntry, format: HookFormat): string {
  const there = hooksOf(text, format).find((found) => found.event === event);
  if (there === undefined) return appendAt(text, ['hooks', event], value);
  return same(there.entry, value) ? text : setAt(text, ['hooks', event, there.index], value);
}

/** From the last to the first, so that places stay valid. */
function dropHooks(text: string, unwanted: readonly FoundHook[], format: HookFormat): string {
  return unwanted.toReversed().reduce((now, found) => drop(now, found, format), text);
}

function drop(text: string, found: FoundHook, format: HookFormat): string {
  const { event, index, handler, alone } = found;
  const entry = ['hooks', event, index];
  if (!alone && handler !== null) {
    const left = setAt(text, [...entry, 'hooks', handler], undefined);
    return isEmptyList(valueAt(left, [...entry, 'hooks']))
      ? drop(left, { ...found, alone: true }, format)
      : left;
  }
  const shorter = setAt(text, entry, undefined);
  if (!isEmptyList(valueAt(shorter, ['hooks', event]))) return shorter;
  const isLast = Object.keys(fieldsOf(parseObject(shorter, format)['hooks'])).length === 1;
  return setAt(shorter, isLast ? ['hooks'] : ['hooks', event], undefined);
}

function requireLists(text: string, planned: readonly HookEntry[], format: HookFormat): void {
  const { hooks } = parseObject(text, format);
  if (hooks === undefined) return;
  if (!isFields(hooks)) throw new UnfitText('has "hooks" that are not an object');
  for (const { event } of planned) {
    const list = hooks[event];
    if (list !== undefined && !Array.isArray(list))
      throw new UnfitText(`has hooks for "${event}" that are not a list`);
  }
}

function entryOf({ event, entry }: FoundHook): HookEntry {
  return { event, value: entry };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function sameEntries(left: readonly HookEntry[], right: readonly HookEntry[]): boolean {
  const sorted = (entries: readonly HookEntry[]): readonly HookEntry[] =>
    entries.toSorted((a, b) => (a.event < b.event ? -1 : 1));
  return same(sorted(left), sorted(right));
}

/** Values that came from JSON, or will go there, with their fields in any order. */
function same(left: unknown, right: unknown): boolean {
  return ordered(left) === ordered(right);
}

function ordered(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isFields(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
