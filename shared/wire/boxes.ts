import { s } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import { boxNamePattern } from '../engine/index.ts';

const name = s.string({ pattern: boxNamePattern });

/** `POST /v1/boxes/stop`. */
export const boxStopSchema = s.object({ name });

/** `POST /v1/boxes/lock`: the emergency stop of one box. */
export const boxLockSchema = s.object({ name, reason: s.optional(s.string({ maxLength: 500 })) });

/** `POST /v1/boxes/tail`: one of the windows that a box began with. */
export const boxTailSchema = s.object({ name, window: s.string({ pattern: boxNamePattern }) });

/** In characters, as many as a page has room for. */
const size = {
  columns: s.integer({ minimum: 2, maximum: 500 }),
  rows: s.integer({ minimum: 2, maximum: 300 }),
};
/** What a terminal is called for as long as it is open. */
const terminal = s.string({ pattern: '^[A-Za-z0-9_-]{22}$' });

/** `POST /v1/boxes/terminal`: shows the windows of a box at a terminal of their own. */
export const boxAttachSchema = s.object({ name, ...size });
export type BoxAttach = Static<typeof boxAttachSchema>;

/** `POST /v1/boxes/terminal/read` and `/leave`. */
export const terminalSchema = s.object({ terminal });

/** `POST /v1/boxes/terminal/type`. */
export const terminalTypeSchema = s.object({
  terminal,
  input: s.string({ minLength: 1, maxLength: 16_384 }),
});
export type TerminalType = Static<typeof terminalTypeSchema>;

/** `POST /v1/boxes/terminal/resize`. */
export const terminalResizeSchema = s.object({ terminal, ...size });
export type TerminalResize = Static<typeof terminalResizeSchema>;

/**
 * Why a terminal of a box has ended: whoever showed it has left; tmux let go of it, by a key or because
 * it ended; the box was stopped, ended for good, or locked; everything is locked; nobody read it any more;
 * the runner ends.
 */
export type TerminalEnd =
  'left' | 'detached' | 'stopped' | 'gone' | 'locked' | 'lockout' | 'unread' | 'runner';

/** What a terminal wrote since it was read last. What wrote it is not trusted. */
export interface TerminalOutput {
  /** Bytes as base64, at most 64 KiB of them; empty where there were none for a while. */
  readonly output: string;
  /** Once there is no more to come; null until then. */
  readonly ended: TerminalEnd | null;
}

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

/** Answer of `POST /v1/boxes/terminal`. */
export interface BoxAttachBody {
  readonly ok: true;
  readonly terminal: string;
}

/** Answer of `POST /v1/boxes/terminal/type`, `/resize` and `/leave`. */
export interface TerminalDoneBody {
  readonly ok: true;
}

/** Answer of `POST /v1/boxes/terminal/read`. */
export interface TerminalReadBody extends TerminalOutput {
  readonly ok: true;
}

/** Answer of `POST /v1/boxes/stop` and `/v1/boxes/lock`. */
export interface BoxEndBody {
  readonly ok: true;
  /** Sentences: what of it was kept, or could not be done. */
  readonly notes: readonly string[];
}
