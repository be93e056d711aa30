import type { Change } from '../parse/syntax.ts';
import type { Lookup } from './expansions.ts';

/** Shells agree about the characters of such a value, whatever the locale. */
const plainValue = /^[ -~]{0,1024}$/;

/** What `${name…}` makes of a known value, or null where that is not known for every shell. */
export function changedBy(change: Change, value: string): string | null {
  if (change.kind === 'default') return value === '' && change.whenEmpty ? change.value : value;
  if (!plainValue.test(value)) return null;
  if (change.kind === 'length') return String(value.length);
  if (change.kind === 'replace')
    return change.all
      ? value.replaceAll(change.from, () => change.to)
      : value.replace(change.from, () => change.to);
  return cut(value, change);
}

/** More wildcards are not followed: the work would grow with each. */
const mostStars = 3;

function cut(
  value: string,
  { operator, pattern }: Extract<Change, { kind: 'cut' }>,
): string | null {
  if (pattern === '') return value;
  if (pattern.split('*').length - 1 > mostStars) return null;
  const source = pattern.replaceAll(/[\\^$.|+()[\]{}]/g, '\\$&').replaceAll('?', '.');
  const fits = new RegExp(`^${source.replaceAll('*', '.*')}$`, 's');
  const atEnd = operator.startsWith('%');
  const lengths = Array.from({ length: value.length + 1 }, (_, length) => length);
  if (operator.length === 2) lengths.reverse();
  for (const length of lengths) {
    const part = atEnd ? value.slice(value.length - length) : value.slice(0, length);
    if (fits.test(part)) return atEnd ? value.slice(0, value.length - length) : value.slice(length);
  }
  return value;
}

/** A number that every shell takes for a decimal one. */
const plainNumber = /^(?:0|[1-9][0-9]{0,14})$/;

/** The result of `$((…))`, or null where a value is not known, too large, or divided by zero. */
export function sumOf(tokens: readonly string[], lookup: Lookup): string | null {
  let at = 0;
  const take = (...wanted: readonly string[]): string | null => {
    const token = tokens[at];
    if (token === undefined || !wanted.includes(token)) return null;
    at++;
    return token;
  };
  const fail = Symbol('unknown');
  const checked = (value: number): number => {
    if (!Number.isSafeInteger(value)) throw fail;
    // No zero with a sign.
    return value + 0;
  };
  const factor = (): number => {
    if (take('(') !== null) {
      const value = sum();
      if (take(')') === null) throw fail;
      return value;
    }
    const token = tokens[at++] ?? '';
    const value = /^[A-Za-z_]/.test(token) ? lookup(token) : token;
    if (typeof value !== 'string' || !plainNumber.test(value)) throw fail;
    return Number(value);
  };
  const product = (): number => {
    let value = factor();
    for (;;) {
      const operator = take('*', '/', '%');
      if (operator === null) return value;
      const other = factor();
      if (operator !== '*' && other === 0) throw fail;
      if (operator === '*') value = checked(value * other);
      else value = checked(operator === '/' ? Math.trunc(value / other) : value % other);
    }
  };
  // A sign in front of the first number is its own; elsewhere shells may read two as one operator.
  function sum(): number {
    let value = take('-') === null ? product() : checked(-product());
    for (;;) {
      const operator = take('+', '-');
      if (operator === null) return value;
      const other = product();
      value = checked(operator === '+' ? value + other : value - other);
    }
  }
  try {
    const value = sum();
    return at === tokens.length ? String(value) : null;
  } catch (error) {
    if (error === fail) return null;
    throw error;
  }
}
