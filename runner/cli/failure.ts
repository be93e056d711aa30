import { oneStop, refusalOf } from '../../shared/base/index.ts';
import type { Refusal } from '../../shared/base/index.ts';
import { exitCodeOfRefusal, exitCodes } from './io.ts';

/** Something the person can put right: what is wrong, and what to do next. Exits with 125. */
export class CliError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(oneStop(message), options);
    this.name = 'CliError';
    this.hint = oneStop(hint);
  }
}

/** What is printed about a failure, and the exit status. */
interface Explained {
  readonly lines: readonly string[];
  readonly exitCode: number;
}

/** The two lines for a refusal: code with sentence, then what to do instead. */
export function refusalLines(refusal: Refusal): readonly string[] {
  const first = `interlock: ${refusal.code}: ${refusal.message}`;
  return refusal.hint === '' ? [first] : [first, `  ${refusal.hint}`];
}

/** Words and exit status for whatever was thrown. Errors that nobody foresaw are Interlock's own. */
export function explain(error: unknown): Explained {
  const refusal = refusalOf(error);
  if (refusal !== undefined)
    return { lines: refusalLines(refusal), exitCode: exitCodeOfRefusal(refusal) };
  const hint = (error as { hint?: unknown } | null)?.hint;
  if (error instanceof Error && typeof hint === 'string')
    return { lines: [`interlock: ${error.message}`, `  ${hint}`], exitCode: exitCodes.failed };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    lines: [
      `interlock: this should not have happened: ${text}`,
      '  Nothing was allowed because of it. "interlock doctor" checks the set-up.',
    ],
    exitCode: exitCodes.failed,
  };
}
