import { createHash } from 'node:crypto';
import { openSync, readFileSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { Script } from 'node:vm';
import type { CheckMaker } from '../base/index.ts';

/**
 * Loads the bundles that lie beside this one with the code that V8 made of them when the product was
 * built, and the checks that were compiled then. The build puts this in front of every program
 * (decisions 95 and 106); the sources never import it.
 */

/** What `require` hands to a module of CommonJS. */
type Body = (
  exports: unknown,
  require: unknown,
  module: NodeJS.Module,
  filename: string,
  folder: string,
) => void;

/** In a file of codes, in their order, after four bytes with the length of this list as JSON. */
export interface CodeEntry {
  /** Of the bundle that the code was made of, below the folder. */
  readonly name: string;
  /** sha256 of its text, hex: V8 compares nothing but lengths. */
  readonly digest: string;
  readonly length: number;
}

const folder = import.meta.dirname;
const checks = join(folder, 'checks');
const require = createRequire(import.meta.url);

/**
 * A bundle as it is compiled here, and when its code is made. V8 keeps the name in the code, so it is
 * none of the machine that builds.
 */
export function scriptOf(text: string, name: string, cachedData?: Buffer): Script {
  return new Script(`(function (exports, require, module, __filename, __dirname) { ${text}\n})`, {
    // Copied: a part of a path would bring the whole path along.
    filename: Buffer.from(`dist/chunks/${name}`).toString(),
    ...(cachedData !== undefined && { cachedData }),
  });
}

/**
 * From here on whatever is required of this folder starts with its code, where that was made of the
 * same text by the same V8 under the same settings. All else is compiled as ever.
 *
 * @param names the files of codes to look in, the first choice first
 */
export function loadWithCode(names: readonly string[]): void {
  const kept = names.flatMap((name) => openCodes(join(folder, name)));
  const plainly = require.extensions['.cjs'] ?? require.extensions['.js'];
  require.extensions['.cjs'] = (module, filename) => {
    if (![folder, checks].includes(dirname(filename)) || kept.length === 0) {
      plainly?.(module, filename);
      return;
    }
    const text = readFileSync(filename, 'latin1');
    const body = compile(text, relative(folder, filename), kept).runInThisContext() as Body;
    body(module.exports, requireOf(module), module, filename, folder);
  };
}

/**
 * The check of a schema, found by the whole text of the schema; nothing where the build did not know
 * the schema.
 */
export function checkAhead(schema: string): CheckMaker | undefined {
  const path = join(checks, `${createHash('sha256').update(schema).digest('hex')}.cjs`);
  try {
    return require(path) as CheckMaker;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'code') === 'MODULE_NOT_FOUND';
}

/** A file of codes, held open: what takes its place by an update is of other bundles. */
interface Codes {
  readonly file: number;
  readonly places: ReadonlyMap<string, { readonly offset: number; readonly length: number }>;
}

/** A file of codes that V8 turns down is not looked into again: it would turn down the rest, too. */
function compile(text: string, name: string, kept: Codes[]): Script {
  const key = `${name} ${createHash('sha256').update(text, 'latin1').digest('hex')}`;
  for (;;) {
    const at = kept.findIndex(({ places }) => places.has(key));
    const codes = kept[at];
    const place = codes?.places.get(key);
    if (codes === undefined || place === undefined) return scriptOf(text, name);
    const script = scriptOf(text, name, readAt(codes.file, place.offset, place.length));
    if (script.cachedDataRejected !== true) return script;
    kept.splice(at, 1);
  }
}

function readAt(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(file, bytes, 0, length, offset);
  return bytes;
}

function requireOf(module: NodeJS.Module): (id: string) => unknown {
  return (id) => module.require(id) as unknown;
}

function openCodes(path: string): readonly Codes[] {
  try {
    const file = openSync(path, 'r');
    let offset = 4 + readAt(file, 0, 4).readUInt32LE(0);
    const list = readAt(file, 4, offset - 4).toString('latin1');
    const places = new Map<string, { offset: number; length: number }>();
    for (const { name, digest, length } of JSON.parse(list) as readonly CodeEntry[]) {
      places.set(`${name} ${digest}`, { offset, length });
      offset += length;
    }
    return [{ file, places }];
  } catch {
    return [];
  }
}
