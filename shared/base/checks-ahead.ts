import type { ValidateFunction } from 'ajv/dist/2020.js';

/** Makes the check of one schema; `part` hands it what its code takes from ajv. */
type Maker = (part: (name: string) => unknown) => ValidateFunction;

/**
 * Checks that were compiled ahead, each by the whole text of its schema. The build writes this module
 * (`scripts/lib/checks-ahead.mjs`, decision 83); in the sources it is empty, and all are compiled when
 * they are needed.
 */
export const checksAhead: ReadonlyMap<string, Maker> = new Map();
