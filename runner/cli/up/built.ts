import { existsSync } from 'node:fs';
import { CliError } from '../failure.ts';
import type { Program } from './programs.ts';

/** Throws when a program's files are not there: in a checkout that was never built. */
export function requireBuilt(program: Program): void {
  const missing = [program.file, ...program.args.filter((arg) => arg.startsWith('/'))].find(
    (path) => !existsSync(path),
  );
  if (missing !== undefined)
    throw new CliError(`${missing} is missing.`, 'Build it first with "npm run build".');
}
