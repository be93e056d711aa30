import type { Names } from './index-store.ts';
import type { DecidedBy } from './rows.ts';

/** Numbers of 32 bits in the record of a decision. */
export const recordWords = 8;
export const recordBytes = recordWords * 4;

export const flag = { allow: 1, ended: 2, exit: 4, left: 8 };
/** By these numbers; a file that has others is of another version. */
const deciderNumbers: Readonly<Record<DecidedBy, number>> = {
  policy: 0,
  person: 1,
  fallback: 2,
  advisor: 3,
};
export const deciders = Object.keys(deciderNumbers) as readonly DecidedBy[];

/** A row of a newer version may name one that is not known here. */
export function numberOfDecider(by: string): number {
  return Object.hasOwn(deciderNumbers, by) ? deciderNumbers[by as DecidedBy] : 0;
}

/** What is looked for among the records of a month; absent: anything. */
export interface Wanted {
  readonly agent?: string | undefined;
  readonly code?: string | undefined;
  readonly decision?: 'allow' | 'deny' | undefined;
  readonly by?: DecidedBy | undefined;
  readonly since?: number | undefined;
}

/** Whether the record at this place of a list is one that is looked for. */
type Test = (view: Uint32Array, at: number) => boolean;

export const anything: Test = () => true;

/** Null where nothing can match. */
export function testOf(
  { agent, code, decision, by, since }: Wanted,
  agents: Names,
  codes: Names,
): Test | null {
  const tests: Test[] = [];
  if (agent !== undefined) {
    const number = agents.find(agent);
    if (number === null) return null;
    tests.push((view, at) => (view[at * recordWords + 1] ?? 0) >>> 16 === number);
  }
  if (code !== undefined) {
    const number = codes.find(code);
    if (number === null) return null;
    tests.push((view, at) => (view[at * recordWords + 7] ?? 0) >>> 16 === number);
  }
  if (decision !== undefined)
    tests.push((view, at) => (flagsOf(view, at) & flag.allow) === (decision === 'allow' ? 1 : 0));
  if (by !== undefined) {
    const number = deciderNumbers[by];
    tests.push((view, at) => flagsOf(view, at) >>> 4 === number);
  }
  if (since !== undefined) tests.push((view, at) => timeOf(view, at) >= since);
  if (tests.length === 0) return anything;
  return (view, at) => tests.every((test) => test(view, at));
}

/** Offsets and times have 48 bits: these are the upper 16. */
export function high(value: number): number {
  return Math.floor(value / 2 ** 32) & 0xffff;
}

export function farOf(view: Uint32Array, word: number): number {
  return ((view[word + 1] ?? 0) & 0xffff) * 2 ** 32 + (view[word] ?? 0);
}

export function timeOf(view: Uint32Array, at: number): number {
  const word = at * recordWords + 3;
  return ((view[word + 1] ?? 0) & 0xffff) * 2 ** 32 + (view[word] ?? 0);
}

export function flagsOf(view: Uint32Array, at: number): number {
  return (view[at * recordWords + 4] ?? 0) >>> 24;
}

export function bytesOf(words: readonly number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(words).buffer);
}
