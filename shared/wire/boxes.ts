import { s } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import { boxNamePattern } from '../engine/index.ts';

const name = s.string({ pattern: boxNamePattern });

/** `POST /v1/boxes/stop`. */
export const boxStopSchema = s.object({ name });
export type BoxStop = Static<typeof boxStopSchema>;

/** `POST /v1/boxes/lock`: the emergency stop of one box. */
export const boxLockSchema = s.object({ name, reason: s.optional(s.string({ maxLength: 500 })) });
export type BoxLockRequest = Static<typeof boxLockSchema>;

/** `POST /v1/boxes/tail`: one of the windows that a box began with. */
export const boxTailSchema = s.object({ name, window: s.string({ pattern: boxNamePattern }) });
export type BoxTail = Static<typeof boxTailSchema>;

/** A named box as it is at this moment. Times in milliseconds since the epoch. */
export interface BoxInfo {
  readonly name: string;
  /** As whom it asks. */
  readonly agent: string;
  readonly template: string;
  readonly network: 'none' | 'restricted' | 'full';
  readonly workspace: string;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly state: 'running' | 'stopped' | 'unfinished';
  /** A person has locked it, and nothing of it starts. */
  readonly locked: boolean;
  /** The windows that it began with: what they write is kept, and of those opened later it is not. */
  readonly kept: readonly string[];
  /** Null where none can be seen. */
  readonly windows: readonly { readonly name: string; readonly hasEnded: boolean }[] | null;
  /** Terminals that show it. */
  readonly attached: number;
}

/** Answer of `GET /v1/boxes`. */
export interface BoxesBody {
  readonly ok: true;
  readonly boxes: readonly BoxInfo[];
}

/** Answer of `POST /v1/boxes/tail`. */
export interface BoxTailBody {
  readonly ok: true;
  /** The last lines of what the window wrote, the newest at the end. What wrote them is not trusted. */
  readonly lines: readonly string[];
}

/** Answer of `POST /v1/boxes/stop` and `/v1/boxes/lock`. */
export interface BoxEndBody {
  readonly ok: true;
  /** Sentences: what of it was kept, or could not be done. */
  readonly notes: readonly string[];
}
