import { say } from '../io.ts';
import type { Io } from '../io.ts';

/** Tells a person why nothing seems to happen. */
export function sayWait(io: Io): (ms: number) => void {
  return (ms) =>
    say(io.stdout, `There were wrong passphrases; this one waits ${String(ms / 1_000)} s.`);
}
