// @ts-check
import * as childProcess from 'node:child_process';
import * as crypto from 'node:crypto';
import * as net from 'node:net';
import { join, posix } from 'node:path';
import * as timers from 'node:timers/promises';
import { root } from '../lib/root.mjs';

/** What the bundles load only once it is used, though the sources import it as anything else. */

const compilerAtFirstUse = '\0compiler-at-first-use';
const recordsLoader = '\0records-at-first-use';

/** Modules of Node that take a while to load. Each is loaded here when it is bundled, to read its names. */
const seldomUsed = {
  'node:crypto': crypto,
  'node:child_process': childProcess,
  'node:net': net,
  'node:timers/promises': timers,
};

/**
 * In the two programs that agents wait for, and in the version and the help: these modules are loaded
 * at the first call of one of their functions. `node:crypto` alone takes a twentieth of the start of an
 * empty Node, and is needed for a signature only. What is missing in the list fails the build.
 *
 * @type {import('vite').Plugin}
 */
export const builtinsAtFirstUse = {
  name: 'builtins-at-first-use',
  enforce: 'pre',
  resolveId: (id) => (Object.hasOwn(seldomUsed, id) ? `\0at-first-use:${id}` : null),
  load(id) {
    const name = Object.keys(seldomUsed).find((one) => id === `\0at-first-use:${one}`);
    if (name === undefined) return null;
    return Object.entries(Reflect.get(seldomUsed, name))
      .filter(([member, value]) => /^[a-z]/.test(member) && typeof value === 'function')
      .map(
        ([member]) =>
          `export const ${member} = (...args) => process.getBuiltinModule('${name}').${member}(...args);`,
      )
      .join('\n');
  },
};

/**
 * In the product, checks are compiled ahead, each in a file of its own below `chunks/checks`, and ajv is
 * loaded only for a schema that is not among them (decision 106).
 *
 * @type {import('vite').Plugin}
 */
export const checksAhead = {
  name: 'checks-ahead',
  enforce: 'pre',
  resolveId(id, importer) {
    if (id === './ajv.cjs' || id === './ahead.cjs') return { id, external: true };
    const isCompiler =
      id === 'ajv/dist/2020.js' && importer === join(root, 'shared/base/compile.ts');
    return isCompiler ? compilerAtFirstUse : null;
  },
  load(id) {
    if (id === compilerAtFirstUse)
      return 'export function Ajv2020(options) { return new (require("./ajv.cjs").Ajv2020)(options); }';
    if (id === join(root, 'shared/base/checks-ahead.ts'))
      return { code: 'export const { checkAhead } = require("./ahead.cjs");', moduleType: 'js' };
    return null;
  },
  generateBundle: (_, files) => {
    liesInChunks(files, compilerAtFirstUse);
  },
};

/**
 * In the product, the records of programs are loaded at the first question about a program
 * (decision 109).
 *
 * @type {import('vite').Plugin}
 */
export const recordsAtFirstUse = {
  name: 'records-at-first-use',
  enforce: 'pre',
  resolveId(id, importer) {
    if (id === './records.cjs') return { id, external: true };
    return importer === join(root, 'shared/engine/programs/list.ts') && id === './records/all.ts'
      ? recordsLoader
      : null;
  },
  load(id) {
    return id === recordsLoader
      ? 'export function allPrograms() { return require("./records.cjs").allPrograms(); }'
      : null;
  },
  generateBundle: (_, files) => {
    liesInChunks(files, recordsLoader);
  },
};

/**
 * What a module requires by a name of its own lies in `chunks`, so the module has to.
 *
 * @param {import('vite').Rolldown.OutputBundle} files
 * @param {string} module
 */
function liesInChunks(files, module) {
  const loads = Object.values(files).filter(
    (file) => file.type === 'chunk' && file.moduleIds.includes(module),
  );
  if (loads.length !== 1 || !loads.every(({ fileName }) => posix.dirname(fileName) === 'chunks'))
    throw new Error(`${module} is in ${loads.map(({ fileName }) => fileName).join(', ')}.`);
}
