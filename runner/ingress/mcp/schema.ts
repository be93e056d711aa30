import { fromJsonSchema } from '@modelcontextprotocol/server';
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { compile } from '../../../shared/schema/compile.ts';
import type { SchemaObject } from '../../../shared/schema/compile.ts';

/** A schema as the protocol shows it to hosts, checked by the one checker that Interlock has. */
export function toolSchema<T>(schema: SchemaObject): StandardSchemaWithJSON<T> {
  const check = compile<T>(schema);
  return fromJsonSchema<T>(schema, {
    getValidator: () => (value) => {
      const checked = check(value);
      return checked.ok
        ? { valid: true, data: checked.value as never, errorMessage: undefined }
        : { valid: false, data: undefined, errorMessage: checked.error };
    },
  });
}
