import type { Check } from '../../schema/compile.ts';
import { ViolationError } from './violation.ts';

/** A line or body as a JSON object; anything else breaks the protocol. */
export function parseObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ViolationError('bad-json', 'A frame is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ViolationError('bad-frame', 'A frame is not a JSON object.');
  }
  return value as Record<string, unknown>;
}

/** Applies a schema; a failure breaks the protocol. */
export function requireValid<T>(check: Check<T>, value: unknown): T {
  const checked = check(value);
  if (checked.ok) return checked.value;
  throw new ViolationError('bad-frame', checked.error);
}

/** Picks the check for the type that a frame names. */
export function requireTyped<T>(
  checks: Readonly<Record<string, Check<T>>>,
  value: Readonly<Record<string, unknown>>,
): T {
  const type = value['type'];
  if (typeof type !== 'string' || !Object.hasOwn(checks, type)) {
    throw new ViolationError('unknown-type', 'A frame has no type that is known here.');
  }
  return requireValid(checks[type] as Check<T>, value);
}
