/** The steps of the first-run guide, in order. */
export const guideSteps = [
  /** There is a valid policy. */
  'policy',
  /** A passphrase for unlocking is set. */
  'passphrase',
  /** The runner answers. */
  'runner',
  /** An agent has asked for something, or has a key of its own. */
  'agent',
  /** A person has answered a real ask. */
  'first-ask',
] as const;
export type GuideStep = (typeof guideSteps)[number];

/** What is set up so far. */
export interface GuideState {
  readonly steps: readonly {
    readonly step: GuideStep;
    readonly done: boolean;
    /** What to type or do, as a sentence or two; empty when done. */
    readonly hint: string;
  }[];
  /** Names of agents that have asked or have keys; the guide's own is not among them. */
  readonly agents: readonly string[];
  readonly finished: boolean;
}

/** The agent in whose name the guide asks. */
export const guideAgent = 'interlock-guide';

/** A real ask that the guide raised: it waits in the queue, and its command runs if it is allowed. */
export interface TriedAsk {
  readonly askId: string;
  /** The command that waits for an answer. It is harmless. */
  readonly command: string;
  readonly expiresAt: number;
}
