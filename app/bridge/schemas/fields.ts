import type { SchemaObject } from '../../../shared/schema/compile.ts';

/** An object with these fields and no others. */
export function fields(
  required: Readonly<Record<string, SchemaObject>>,
  optional: Readonly<Record<string, SchemaObject>> = {},
): SchemaObject {
  return {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(required),
    properties: { ...required, ...optional },
  };
}
