/** An allow is taken only after the ask has been in view, with focus, for this long. */
export const armDelayMs = 600;

/** How long the allow button of a high-risk ask is to be held. */
export const holdMs = 1500;

/** What is typed in place of holding where keys cannot be held, as in a terminal. */
export const confirmWord = 'yes';

/** How soon a person may answer. `config.json` can set its own pace. */
export interface Pace {
  readonly armDelayMs: number;
  readonly holdMs: number;
}

/** The pace when `config.json` sets none. */
export const defaultPace: Pace = { armDelayMs, holdMs };

/** When an ask came into view and when its window last gained focus; the same clock as `now`. */
export interface Exposure {
  readonly shownAt: number;
  readonly focusedAt: number;
}

/** The time from which an allow counts. A window that just gained focus starts the delay anew. */
export function armedFrom(exposure: Exposure, pace: Pace = defaultPace): number {
  return Math.max(exposure.shownAt, exposure.focusedAt) + pace.armDelayMs;
}

/** Whether an allow counts now. A clock that went backwards leaves it unarmed. */
export function isArmed(exposure: Exposure, now: number, pace: Pace = defaultPace): boolean {
  return now >= armedFrom(exposure, pace);
}

/** How much of a hold is done, from 0 to 1. */
export function holdProgress(
  heldSince: number | null,
  now: number,
  pace: Pace = defaultPace,
): number {
  if (heldSince === null) return 0;
  return Math.min(1, Math.max(0, (now - heldSince) / pace.holdMs));
}

/**
 * When an ask leaves by itself and another takes its place, a key on its way was meant for the one
 * that left. `replacedAt` is when that happened last, or null. Until this grace is over nothing is
 * answered, not even with a deny.
 */
export function keysCount(replacedAt: number | null, now: number): boolean {
  return replacedAt === null || now >= replacedAt + armDelayMs;
}
