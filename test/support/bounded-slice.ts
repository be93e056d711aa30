/**
 * How much of a random or repeated test runs: a slice that `npm test` can afford every time, or with
 * `INTERLOCK_LONG=1` all of it. Not for tables and corpora, which always run whole.
 */
export function boundedSlice(slice: number, all: number): number {
  return process.env['INTERLOCK_LONG'] === '1' ? all : slice;
}
