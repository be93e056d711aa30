import { compile } from '../schema/compile.ts';
import type { Check, SchemaObject } from '../schema/compile.ts';

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

/** Which event it is; events that are not named here are not ours to answer. */
export function eventCheck<Event extends string>(
  events: readonly Event[],
): Check<{ readonly hook_event_name: Event }> {
  return compile(openObject({ hook_event_name: { enum: events } }));
}

/** `SessionEnd`, as Claude Code made it and others took it over. */
export const checkSessionEnd = compile<{ readonly session_id: string }>(
  openObject({ session_id: idSchema }),
);
