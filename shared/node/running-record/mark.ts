import { createHash } from 'node:crypto';

/** Variables that mark every process which comes from a command of a runner. */
export const runVariable = 'INTERLOCK_RUN_ID';
export const homeVariable = 'INTERLOCK_RUN_HOME';

/** Tells the homes of one machine apart without naming their folders. */
export function homeTag(home: string): string {
  return createHash('sha256').update(home).digest('hex').slice(0, 16);
}

/** The mark of one command. */
export function runMark(home: string, id: string): Readonly<Record<string, string>> {
  return { [runVariable]: id, [homeVariable]: homeTag(home) };
}
