import { constants } from 'node:os';
import type { Refusal } from '../../shared/refusal/refusal.ts';

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
