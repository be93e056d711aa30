import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { Refusal } from '../../shared/base/index.ts';

/** Exit statuses of Interlock's own; every other one belongs to the command that ran. */
export const exitCodes = {
  ok: 0,
  timedOut: 124,
  failed: 125,
  refused: 126,
  notFound: 127,
} as const;

/** 124 for a command that ran too long, 126 for every other "no". */
export function exitCodeOfRefusal(refusal: Refusal): number {
  return refusal.code === 'command-timeout' ? exitCodes.timedOut : exitCodes.refused;
}

/** 128 plus the signal's number, as shells report it. */
export function exitCodeOfSignal(signal: string): number {
  const number = (constants.signals as Readonly<Record<string, number>>)[signal];
  return 128 + (number ?? 0);
}

/** A stream of the process that may be a terminal. */
export type Input = Readable & { readonly isTTY?: boolean };
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** All of the outside world that a command sees; tests hand in their own. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly now: () => number;
  /** The folder the person stands in; throws when it is gone. */
  readonly cwd: () => string;
  /** Folder of the installed package, where `package.json` and `dist` are. */
  readonly packageRoot: string;
  /** Calls back on SIGINT, SIGTERM and SIGHUP until the returned function is called. */
  readonly onSignal: (listener: (signal: StopSignal) => void) => () => void;
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';
export const stopSignals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Writes one line. */
export function say(output: Output, line: string): void {
  output.write(`${line}\n`);
}

/** Writes a value as indented JSON. */
export function sayJson(output: Output, value: unknown): void {
  say(output, plainJson(value, 2));
}

/** C1 controls, DEL, and what turns or hides text: JSON.stringify leaves these as they are. */
const acting = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * A value as JSON that a terminal may show: what is in it may come from an agent or a box. It reads as
 * the same value.
 *
 * @param indent blanks for each level; all on one line where it is left out
 */
export function plainJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(acting, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
