import { readHookCommand } from '../adapters/hook-command.ts';
import type { HookCommand } from '../adapters/hook-command.ts';
import { isFields } from '../policy/legacy.ts';

/** A hook of ours in a host's settings, and where it stands. */
export interface FoundHook {
  readonly event: string;
  /** Place in `hooks[event]`. */
  readonly index: number;
  /** Place in the list of handlers there; null for hosts that have no such list. */
  readonly handler: number | null;
  /** Nothing of anybody else stands at `index`. */
  readonly alone: boolean;
  readonly command: HookCommand;
  /** What stands at `index`, as it was parsed. */
  readonly entry: Fields;
  /** The handler itself. */
  readonly fields: Fields;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Every hook of ours in parsed settings, in the order of the file. Unknown forms are passed over. */
export function findHooks(settings: unknown): readonly FoundHook[] {
  return Object.entries(fieldsOf(fieldsOf(settings)['hooks'])).flatMap(([event, list]) =>
    listOf(list).flatMap((entry, index) => hooksIn(entry, event, index)),
  );
}

function hooksIn(value: unknown, event: string, index: number): readonly FoundHook[] {
  const entry = fieldsOf(value);
  const own = commandOf(entry);
  if (own !== null)
    return [{ event, index, handler: null, alone: true, command: own, entry, fields: entry }];
  const handlers = listOf(entry['hooks']);
  return handlers.flatMap((one, handler) => {
    const fields = fieldsOf(one);
    const command = commandOf(fields);
    if (command === null) return [];
    return [{ event, index, handler, alone: handlers.length === 1, command, entry, fields }];
  });
}

function commandOf({ command }: Fields): HookCommand | null {
  return typeof command === 'string' ? readHookCommand(command) : null;
}

/** An object's fields; none for every other value. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
