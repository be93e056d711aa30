/** What happened to a command, for the session that asked for it. */
export type SystemEvent =
  | { readonly type: 'started'; readonly node: string; readonly id: string }
  | {
      readonly type: 'finished';
      readonly node: string;
      readonly id: string;
      /** The exit status, a signal's name, or `timeout`. */
      readonly code: string;
      /** The end of the output, as it stands in the event. */
      readonly tail: string;
    }
  | {
      readonly type: 'denied';
      readonly node: string;
      readonly id: string;
      readonly reason: string;
    };

/** Queues of events, one a session; drained by whoever speaks for the session. */
export interface SystemEvents {
  /** An event of no session is dropped: nobody could fetch it. */
  add(session: string | null, event: SystemEvent): void;
  drain(session: string): { readonly events: readonly string[]; readonly dropped: number };
}
