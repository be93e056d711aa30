import type { ValidateFunction } from 'ajv/dist/2020.js';

/** Makes the check of one schema; `part` hands it what its code takes from ajv. */
export type CheckMaker = (part: (name: string) => unknown) => ValidateFunction;

/**
 * The check of a schema that the build compiled ahead, by the whole text of the schema. The build puts
 * another module in the place of this one (`scripts/bundle.mjs`, decision 106); in the sources there is
 * none, and all are compiled when they are needed.
 */
export function checkAhead(_schema: string): CheckMaker | undefined {
  return undefined;
}
