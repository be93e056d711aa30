// @ts-check
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib/root.mjs';

const compiler = join(root, 'shared/base/compile.ts');
const face = join(root, 'shared/base/index.ts');
const entry = join(root, 'every-schema');
const recorder = '\0recorder';

/** Who compiles a schema, as its text says. */
const compiles =
  /import \{[^}]*\b(?:compile|compileAll|toolSchema)\b[^}]*\} from '[^']*\/(?:base\/index|tool)\.ts'/;

/** The files of the product that compile a schema, below the root. */
export const compiling = ['shared', 'runner', 'app']
  .flatMap((kit) =>
    readdirSync(join(root, kit), { recursive: true, encoding: 'utf8' }).map((path) =>
      join(kit, path),
    ),
  )
  .filter((path) => path.endsWith('.ts') && !path.startsWith('shared/base/'))
  .filter((path) => compiles.test(readFileSync(join(root, path), 'utf8')))
  .toSorted();

/** They have others compile a schema of theirs. */
const throughOthers = ['runner/nodes/gateway-runs.ts', 'runner/nodes/node-runs.ts'];

/**
 * Makes `every-schema` a module that loads all of these files, and exports each schema that they compile
 * while they are loaded. Nobody has to remember a list.
 *
 * @type {import('vite').Plugin}
 */
export const everySchema = {
  name: 'every-schema',
  enforce: 'pre',
  // The package says that its modules do nothing as they are loaded, and here they are wanted for that.
  config: () => ({ build: { rolldownOptions: { treeshake: false } } }),
  resolveId(id, importer) {
    if (id === entry || id === recorder) return id;
    return id === './compile.ts' && importer === face ? recorder : null;
  },
  load(id) {
    if (id === recorder) return recording;
    if (id !== entry) return null;
    const all = [...compiling, ...throughOthers].map((path) => JSON.stringify(join(root, path)));
    const imports = all.map((path) => `import ${path};`);
    return [...imports, `export { schemas } from ${JSON.stringify(recorder)};`].join('\n');
  },
};

const recording = `
import * as real from ${JSON.stringify(compiler)};
export const schemas = [];
export function compile(schema) {
  schemas.push(schema);
  return real.compile(schema);
}
export function compileAll(all) {
  schemas.push(...Object.values(all));
  return real.compileAll(all);
}`;
