import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';
import ucs2length from 'ajv/dist/runtime/ucs2length.js';
import { checkAhead } from './checks-ahead.ts';
import type { Schema, Static } from './schema.ts';

/** Longest piece of a wrong value that a sentence repeats. */
const longestValue = 40;

/**
 * One sentence for the error that tells most: the deepest one, since a failed choice between forms
 * also lists the failures of each form. Strings under `token`, `secret` and the like are not repeated.
 */
function tellingOf(
  errors: readonly ErrorObject[],
  root: unknown,
): { readonly error: string; readonly path: string } {
  const error = mostTelling(errors);
  if (error === undefined) return { error: 'The value is not valid.', path: '' };
  const { instancePath: path } = error;
  const place = placeOf(path, root);
  return { error: `${place} ${complaintOf(error, errors, root)}.`, path: pathOf(error) };
}

/** An unknown field is itself the place that a person looks for. */
function pathOf({ keyword, instancePath, params }: ErrorObject): string {
  const name = (params as Record<string, unknown>)['additionalProperty'];
  if (keyword !== 'additionalProperties') return instancePath;
  return `${instancePath}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function mostTelling(errors: readonly ErrorObject[]): ErrorObject | undefined {
  return errors.toSorted((a, b) => depthOf(b) - depthOf(a) || rankOf(a) - rankOf(b)).at(0);
}

function depthOf(error: ErrorObject): number {
  return error.instancePath.split('/').length;
}

/**
 * Among forms to choose from, the one that has the value's type is the one that was meant: what is
 * wrong with it says more than that the other forms have another type.
 */
function rankOf({ keyword }: ErrorObject): number {
  if (keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'if') return 2;
  return keyword === 'type' ? 1 : 0;
}

/** All types that are allowed in the place of an error, where there is a choice of forms. */
function typesAt({ instancePath }: ErrorObject, errors: readonly ErrorObject[]): unknown[] {
  return errors
    .filter((error) => error.keyword === 'type' && error.instancePath === instancePath)
    .flatMap((error) => (error.params as { readonly type: unknown }).type);
}

/** `/agents/claude/allowlist/0/pattern` as `agents.claude.allowlist[0].pattern`. */
function placeOf(instancePath: string, root: unknown): string {
  let place = '';
  let here = root;
  for (const key of keysOf(instancePath)) {
    if (Array.isArray(here)) place += `[${key}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(key)) place += place === '' ? key : `.${key}`;
    else place += `[${quoted(key)}]`;
    here = memberOf(here, key);
  }
  return place === '' ? 'The value' : place;
}

function keysOf(instancePath: string): readonly string[] {
  const keys = instancePath.split('/').slice(1);
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function memberOf(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined;
}

/** What is wrong: the value at the place of the error, or the name where names are restricted. */
function wrongValue({ instancePath, propertyName }: ErrorObject, root: unknown): unknown {
  return propertyName ?? keysOf(instancePath).reduce(memberOf, root);
}

function complaintOf(error: ErrorObject, errors: readonly ErrorObject[], root: unknown): string {
  const value = wrongValue(error, root);
  const shown = shownOf(error, value);
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `has an unknown field ${quoted(String(params['additionalProperty'] ?? params['unevaluatedProperty']))}`;
    case 'required':
      return `lacks the field ${quoted(String(params['missingProperty']))}`;
    case 'type':
      return `must be ${typeWords(typesAt(error, errors))}, not ${kindOf(value)}`;
    case 'enum':
      return `must be one of ${list(params['allowedValues'])}, not ${shown}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}, not ${shown}`;
    case 'minimum':
      return `must be at least ${String(params['limit'])}, not ${shown}`;
    case 'maximum':
      return `must be at most ${String(params['limit'])}, not ${shown}`;
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return params['limit'] === 1 ? 'must not be empty' : `needs ${amount(error)} or more`;
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return `has more than ${amount(error)}`;
    case 'pattern':
      return `${formWords(String(params['pattern']))}: ${shown}`;
    case 'anyOf':
    case 'oneOf':
      return 'has none of the forms that are allowed here';
    case 'not':
    case 'false schema':
      return 'is not allowed here';
    default:
      return error.message ?? 'is not valid';
  }
}

/** What a pattern wants, where it begins as one for paths does. */
function formWords(pattern: string): string {
  if (pattern.startsWith('^/')) return 'must be an absolute path';
  return pattern.startsWith('^(?:/|~/)')
    ? 'must be an absolute path, or begin with ~/'
    : 'does not have the expected form';
}

function amount({ keyword, params }: ErrorObject): string {
  const { limit } = params as { readonly limit: number };
  if (keyword.endsWith('Length')) return `${limit} characters`;
  return `${limit} ${keyword.endsWith('Items') ? 'entries' : 'fields'}`;
}

const secretPlace = /token|secret|key|mac|passphrase|nonce/i;

function shownOf(error: ErrorObject, value: unknown): string {
  if (secretPlace.test(error.instancePath)) return 'what stands there';
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'number' && !Number.isInteger(value) ? 'a fraction' : `a ${typeof value}`;
}

function typeWords(types: readonly unknown[]): string {
  const names = [...new Set(types)].map((name) => {
    if (name === 'null') return 'null';
    if (name === 'integer') return 'a whole number';
    if (name === 'array') return 'a list';
    return name === 'object' ? 'an object' : `a ${String(name)}`;
  });
  return names.join(' or ');
}

function list(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(', ') : '?';
}

function quoted(text: string): string {
  return `"${text.length > longestValue ? `${text.slice(0, longestValue)}…` : text}"`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/**
 * What a check yields: the value with its type, or one sentence that says what is wrong where. `path`
 * is a JSON pointer to the value that the sentence is about, for a reader that can tell its line.
 */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: string; readonly path: string };

export type Check<T> = (value: unknown) => Checked<T>;

/** How checks are made, at run time as by the build. */
export const checkOptions: Options = {
  strict: true,
  allErrors: false,
  allowUnionTypes: true,
  useDefaults: false,
  coerceTypes: false,
  removeAdditional: false,
  ownProperties: true,
  // Two thirds of the time that a program needs for its first check. All schemas are ours: types
  // and strict mode hold them to what ajv knows, and a test to the meta-schema.
  validateSchema: false,
  meta: false,
  code: { optimize: false },
};

let shared: Ajv2020 | undefined;

/** Made at the first use: the build has compiled all that it knows of. */
function ajv(): Ajv2020 {
  shared ??= new Ajv2020(checkOptions);
  return shared;
}

/** What code that was compiled ahead takes from ajv. It fails where it would need anything else. */
export function partOfAjv(name: string): unknown {
  // A module of CommonJS: who loads it decides whether its default is unwrapped already.
  if (name === 'ajv/dist/runtime/ucs2length')
    return { default: (Reflect.get(ucs2length, 'default') as unknown) ?? ucs2length };
  throw new Error(`A check that was compiled ahead asks for ${name}.`);
}

/**
 * By the whole text of the schema: code of another one is never taken, and what the build did not
 * compile is compiled now.
 */
function validatorOf<T>(schema: Schema<T>): ValidateFunction<T> {
  const ahead = checkAhead(JSON.stringify(schema));
  if (ahead === undefined) return ajv().compile<T>(schema);
  return ahead(partOfAjv) as ValidateFunction<T>;
}

/**
 * Turns a schema into a check of the type that the schema describes; there is no way to name another
 * type. Values are never changed: nothing is coerced, removed or filled in. The check is made at its
 * first use, because most programs need few of all schemas; a schema that is itself wrong throws then.
 */
export function compile<T>(schema: Schema<T>): Check<T> {
  let validate: ValidateFunction<T> | undefined;
  return (value) => {
    validate ??= validatorOf(schema);
    if (validate(value)) return { ok: true, value };
    const errors = validate.errors ?? [];
    return { ok: false, ...tellingOf(errors, value) };
  };
}

/** The checks of several schemas, by the same names. */
export function compileAll<S extends Readonly<Record<string, Schema<unknown>>>>(
  schemas: S,
): { readonly [K in keyof S]: Check<Static<S[K]>> } {
  const checks = Object.entries(schemas).map(([name, schema]) => [name, compile(schema)] as const);
  return Object.fromEntries(checks) as { readonly [K in keyof S]: Check<Static<S[K]>> };
}
