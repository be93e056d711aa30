import type { ToolCall } from '../engine/index.ts';

/** Where a call comes from, as the host tells it. Everything here is untrusted text. */
export interface CallContext {
  /** The host's own id of the conversation; null where it tells none. */
  readonly session: string | null;
  readonly toolUseId: string | null;
  /** The agent's own words for why, where the host passes them on. */
  readonly statedReason: string | null;
  /** Absolute folder in which it would happen: that of the conversation, or what the call says. */
  readonly cwd: string;
}

/** What a host told its hook, in our words. */
export type HookEvent =
  /** The agent wants to run shell text. */
  | { readonly kind: 'command'; readonly command: string; readonly context: CallContext }
  /** The agent wants to use another tool that the gate decides about. */
  | {
      readonly kind: 'tool';
      readonly call: ToolCall;
      readonly context: CallContext;
      /**
       * Where the tool came as shell text: text that can mean nothing but this call, to stand in the
       * place of the agent's.
       */
      readonly asCommand?: string;
    }
  | { readonly kind: 'session-ended'; readonly session: string }
  /** What was typed to the agent, told before the agent sees it. */
  | { readonly kind: 'prompt'; readonly text: string; readonly session: string }
  /** Nothing that the gate decides about: the host's own rules hold. */
  | { readonly kind: 'not-gated' };

/** How the gate answered. */
export type HookOutcome =
  /** The host is to run this text in the place of the agent's command. */
  | { readonly kind: 'run-instead'; readonly command: string }
  /** The host may do it itself. */
  | { readonly kind: 'allowed' }
  /** One text for the agent: what was refused, why, and what to do instead. */
  | { readonly kind: 'refused'; readonly text: string }
  /** What was typed was for the gate: who typed it is told this text, and the agent sees nothing of it. */
  | { readonly kind: 'answered'; readonly text: string }
  | { readonly kind: 'not-gated' };

/** Exactly what the hook program writes and how it ends. */
export interface HookAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

export interface HostShell {
  /** The folder in which a command ends is where the next one starts. */
  readonly lastingFolder: boolean;
  /** Standard output and error are shown as one text. */
  readonly oneStream: boolean;
}

/** One host's contract, pure: its words into ours and back. */
export interface HostAdapter {
  /** Whether the host takes another command in the place of the agent's. */
  readonly rewrites: boolean;
  /** What the host's own shell tool does, so that a command in the gate does it too. */
  readonly shell: HostShell;
  /**
   * Reads what the host wrote to the hook. Throws an `invalid-request` refusal for anything that
   * the contract does not describe: the hook then denies.
   */
  read(input: unknown): HookEvent;
  /** The host's words for an outcome; `input` is what was read. Never throws. */
  answer(outcome: HookOutcome, input: unknown): HookAnswer;
}
