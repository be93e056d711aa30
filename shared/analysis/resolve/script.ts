import type { Search } from './executable.ts';

/** Kernels read about this much of a first line. */
const lineBytes = 256;

/**
 * The real path of the interpreter in a file's `#!` line, with `env` looked through; null for a
 * file that has none. One that cannot be found, or of which `env` decides more than the name, is
 * given as it is written.
 */
export function readInterpreter(realPath: string, search: Search): string | null {
  const { files } = search.surroundings;
  const head = files.head(realPath, lineBytes);
  if (head === null || head[0] !== 0x23 || head[1] !== 0x21) return null;
  const text = String.fromCharCode(...head.subarray(2));
  // A kernel takes off blanks only: with a carriage return the name is another one.
  const line = (text.split('\n', 1)[0] ?? '').replaceAll(/^[ \t]+|[ \t]+$/g, '');
  const [program = '', ...rest] = line.split(/[ \t]+/);
  if (!program.endsWith('/env')) return files.realPath(program) ?? program;
  const [name] = rest[0] === '-S' ? rest.slice(1) : rest;
  if (name === undefined) return files.realPath(program) ?? program;
  // Other options, variables and paths: what runs depends on more than the PATH.
  if (!/^[\w.+][\w.+-]*$/.test(name)) return rest.join(' ');
  for (const directory of search.surroundings.path) {
    const path = `${directory}/${name}`;
    if (files.facts(path)?.executable === true) return files.realPath(path) ?? path;
  }
  return name;
}
