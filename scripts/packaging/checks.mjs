// @ts-check
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { rowSchema } from '../../runner/ingress/files/journal.ts';
import { checkOptions } from '../../shared/base/compile.ts';
import { configFileSchema } from '../../shared/engine/config.ts';
import { policyFileSchema } from '../../shared/engine/policy/types.ts';
import { storeChoice } from '../../shared/home/secrets.ts';
import { lockoutState, pauseState } from '../../shared/home/stop-state.ts';
import { stampSchema } from '../../shared/home/upgrade.ts';

/**
 * The schemas that each start of the runner, or of a command that reads the home, has to check by. All
 * others are compiled at their first use: their code, forty times their own length, would be read by
 * every start, and most starts need none of them. A test tells when a start compiles one more.
 */
export const schemasAhead = [
  configFileSchema,
  policyFileSchema,
  stampSchema,
  lockoutState,
  pauseState,
  storeChoice,
  rowSchema,
];

/** @returns the code of the module that holds their checks, to stand for `shared/base/checks-ahead.ts` */
export function checksModule() {
  const entries = schemasAhead.map(
    (schema) => `[${JSON.stringify(JSON.stringify(schema))}, ${makerOf(schema)}]`,
  );
  return `export const checksAhead = new Map([\n${entries.join(',\n')}\n]);\n`;
}

/**
 * Each has a compiler of its own, so that its text does not depend on what was compiled before.
 *
 * @param {import('../../shared/base/schema.ts').Schema<unknown>} schema
 */
function makerOf(schema) {
  const ajv = new Ajv2020({ ...checkOptions, code: { ...checkOptions.code, source: true } });
  const code = standalone.default(ajv, ajv.compile(schema));
  return `(require) => { const module = { exports: {} };\n${code}\nreturn module.exports; }`;
}
