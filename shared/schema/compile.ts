import { Ajv2020 } from 'ajv/dist/2020.js';
import type { SchemaObject, ValidateFunction } from 'ajv/dist/2020.js';
import { sentenceOf } from './sentence.ts';

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
