// @ts-check
import { createHash } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { minifySync } from 'vite';
import { asciiOf } from '../lib/ascii.mjs';
import { checkOptions } from '../../shared/base/compile.ts';

/**
 * The checks of schemas, as modules of CommonJS that export a `CheckMaker` (`shared/base/checks-ahead.ts`).
 *
 * @param {readonly import('../../shared/base/schema.ts').Schema<unknown>[]} schemas
 * @returns {ReadonlyMap<string, string>} the text of each, by the sha256 of its schema as JSON
 */
export function checksOf(schemas) {
  const texts = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  return new Map(
    [...texts].map(([text, schema]) => [
      createHash('sha256').update(text).digest('hex'),
      moduleOf(schema),
    ]),
  );
}

/**
 * Each has a compiler of its own, so that its text does not depend on what was compiled before. Half of
 * what the compiler writes is indentation and long names, which V8 would keep.
 *
 * @param {import('../../shared/base/schema.ts').Schema<unknown>} schema
 */
function moduleOf(schema) {
  const ajv = new Ajv2020({ ...checkOptions, code: { optimize: 1, source: true } });
  const made = standalone.default(ajv, ajv.compile(schema));
  const text = `module.exports = (require) => { const module = { exports: {} };\n${made}\nreturn module.exports; };`;
  const { code, errors } = minifySync('check.cjs', text, { compress: false, mangle: true });
  if (errors.length > 0) throw new Error(`A check does not parse: ${JSON.stringify(errors)}`);
  return asciiOf(code);
}
