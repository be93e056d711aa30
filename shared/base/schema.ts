import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, SchemaObject, ValidateFunction } from 'ajv/dist/2020.js';

/** Longest piece of a wrong value that a sentence repeats. */
const longestValue = 40;

/**
 * One sentence for the error that tells most: the deepest one, since a failed choice between forms
 * also lists the failures of each form. Strings under `token`, `secret` and the like are not repeated.
 */
function sentenceOf(errors: readonly ErrorObject[], root: unknown): string {
  const error = mostTelling(errors);
  if (error === undefined) return 'The value is not valid.';
  const where = placeOf(error.instancePath, root);
  return `${where} ${complaintOf(error)}.`;
}

function mostTelling(errors: readonly ErrorObject[]): ErrorObject | undefined {
  return errors.toSorted((a, b) => depthOf(b) - depthOf(a) || rankOf(a) - rankOf(b)).at(0);
}

function depthOf(error: ErrorObject): number {
  return error.instancePath.split('/').length;
}

function rankOf(error: ErrorObject): number {
  return error.keyword === 'anyOf' || error.keyword === 'oneOf' || error.keyword === 'if' ? 1 : 0;
}

/** `/agents/claude/allowlist/0/pattern` as `agents.claude.allowlist[0].pattern`. */
export function placeOf(instancePath: string, root: unknown): string {
  let place = '';
  let here = root;
  for (const raw of instancePath.split('/').slice(1)) {
    const key = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(here)) place += `[${key}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(key)) place += place === '' ? key : `.${key}`;
    else place += `[${quoted(key)}]`;
    here =
      isRecord(here) || Array.isArray(here) ? (here as Record<string, unknown>)[key] : undefined;
  }
  return place === '' ? 'The value' : place;
}

function complaintOf(error: ErrorObject): string {
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `has an unknown field ${quoted(String(params['additionalProperty'] ?? params['unevaluatedProperty']))}`;
    case 'required':
      return `lacks the field ${quoted(String(params['missingProperty']))}`;
    case 'type':
      return `must be ${typeWords(params['type'])}, not ${kindOf(error.data)}`;
    case 'enum':
      return `must be one of ${list(params['allowedValues'])}, not ${shown(error)}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}, not ${shown(error)}`;
    case 'pattern':
      return `does not have the expected form: ${shown(error)}`;
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

const secretPlace = /token|secret|key|mac|passphrase|nonce/i;

function shown(error: ErrorObject): string {
  if (secretPlace.test(error.instancePath)) return 'what stands there';
  const text = JSON.stringify(error.data) ?? 'undefined';
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'number' && !Number.isInteger(value) ? 'a fraction' : `a ${typeof value}`;
}

function typeWords(type: unknown): string {
  const names = (Array.isArray(type) ? type : [type]).map((name) => {
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

/** What a check yields: the value with its type, or one sentence that says what is wrong where. */
export type Checked<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string };

export type Check<T> = (value: unknown) => Checked<T>;

const ajv = new Ajv2020({
  strict: true,
  allErrors: false,
  allowUnionTypes: true,
  useDefaults: false,
  coerceTypes: false,
  removeAdditional: false,
  ownProperties: true,
  verbose: true,
});

/**
 * Turns a JSON schema (draft 2020-12) into a check. Values are never changed: nothing is coerced,
 * removed or filled in. The schema is compiled at its first use, because most programs need few of
 * all schemas and compiling costs time and memory; one that is itself wrong throws then.
 */
export function compile<T>(schema: SchemaObject): Check<T> {
  let validate: ValidateFunction<T> | undefined;
  return (value) => {
    validate ??= ajv.compile<T>(schema);
    return validate(value)
      ? { ok: true, value }
      : { ok: false, error: sentenceOf(validate.errors ?? [], value) };
  };
}

export type { SchemaObject };
