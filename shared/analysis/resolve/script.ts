import type { Search } from './executable.ts';

/** Kernels read about this much of a first line. */
const lineBytes = 256;

/**
 * The real path of the interpreter in a file's `#!` line, with `env` looked through; null for a
 * file that has none. An interpreter that cannot be found is given as it is written.
 */
export function readInterpreter(realPath: string, search: Search): string | null {
  const { files } = search.surroundings;
  const head = files.head(realPath, lineBytes);
  if (head === null || head[0] !== 0x23 || head[1] !== 0x21) return null;
  const text = String.fromCharCode(...head.subarray(2));
  const line = (text.split('\n', 1)[0] ?? '').trim();
  const [program = '', ...rest] = line.split(/[ \t]+/);
  if (!program.endsWith('/env')) return files.realPath(program) ?? program;
  const name = rest.find((word) => !word.startsWith('-') && !word.includes('='));
  if (name === undefined) return files.realPath(program) ?? program;
  for (const directory of search.surroundings.path) {
    const path = `${directory}/${name}`;
    if (files.facts(path)?.executable === true) return files.realPath(path) ?? path;
  }
  return name;
}
