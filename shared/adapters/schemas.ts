import type { SchemaObject } from '../schema/compile.ts';

/** A host's id of something. */
export const idSchema: SchemaObject = { type: 'string', minLength: 1, maxLength: 512 };

/** An absolute folder, as POSIX or Windows writes it. */
export const folderSchema: SchemaObject = {
  type: 'string',
  pattern: '^(/|[A-Za-z]:[\\\\/])',
  maxLength: 4096,
};

/** A text that is something: a command, a path, an address. */
export const textSchema: SchemaObject = { type: 'string', minLength: 1 };

/** An object of which only these fields matter here; hosts add others in any release. */
export function openObject(
  properties: Readonly<Record<string, SchemaObject>>,
  required: readonly string[] = Object.keys(properties),
): SchemaObject {
  return { type: 'object', required, properties, additionalProperties: true };
}
