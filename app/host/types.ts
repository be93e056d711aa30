import { s } from '../../shared/base/index.ts';
import type { Clock, Static } from '../../shared/base/index.ts';
import type { Assertion } from '../../shared/engine/index.ts';
import type { Home } from '../../shared/home/index.ts';
import type { SettingName } from '../bridge/settings.ts';
import type { AppState, BridgeCall, BridgeCalls, BridgeResult } from '../bridge/types.ts';

const shellNames = ['console', 'electron', 'terminal'] as const;
type ShellName = (typeof shellNames)[number];

/** What every shell gets: the state as it changes, and one function for all calls. */
export interface UiHost {
  /**
   * One call of a page. `call` and `args` come from outside and are checked here; whatever goes
   * wrong comes back as a refusal, so the promise never rejects.
   */
  handle(call: string, args: unknown): Promise<BridgeResult<BridgeCall>>;
  /** Calls back at once with the present state, then at each change. */
  subscribe(listener: (state: AppState) => void): () => void;
  /** For a console whose pages come back without a link. */
  readonly door: PasskeyDoor;
  /** Withdraws nothing and answers nothing: asks that wait fall back as the policy says. */
  dispose(): Promise<void>;
}

/** How a console opens a session to whoever has a passkey. */
export interface PasskeyDoor {
  /** A nonce to sign, or null where no passkey is made for pages of this host name. */
  nonce(rpId: string): string | null;
  /** Throws a refusal unless a passkey of this home signed it, at this very origin. */
  prove(
    shown: { readonly nonce: string; readonly assertion: Assertion },
    origin: string,
  ): Promise<void>;
}

/** What a second start learns about the approver that runs already. */
export const runningHostSchema = s.object({
  shell: s.oneOf(shellNames),
  pid: s.integer(),
  /** A fresh one-time link when the running shell serves its page to browsers. */
  link: s.nullable(s.string({ maxLength: 400, pattern: '^http://[ -~]*$' })),
});
export type RunningHost = Static<typeof runningHostSchema>;

/** Shows the page in the person's browser, and there what they go for. Rejects where it cannot be served. */
export type OpenInBrowser = (
  args: BridgeCalls['openInBrowser']['args'],
) => Promise<BridgeCalls['openInBrowser']['result']>;

/** What the running shell can do; the host cannot know it. */
export interface ShellFacts {
  /** The settings that it honours. */
  readonly honoured: readonly SettingName[];
  /** Shortcuts that could not be registered. */
  readonly taken: () => readonly string[];
  /** Starts a runner of its own; null where none is shipped with it. */
  readonly startRunner: () => (() => void) | null;
  /** Shows the page in the person's browser; null where it is in one, or there is none. */
  readonly openInBrowser: () => OpenInBrowser | null;
  /** Registers what to call when one of these facts changes. */
  readonly onChange: (changed: () => void) => void;
}

export interface UiHostOptions {
  readonly home: Home;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder of the installed package, where `node_modules` and `dist` are. */
  readonly packageRoot: string;
  readonly shell: ShellName;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** One line about a breach of the approval protocol; never with a secret. Default: silence. */
  readonly log?: (line: string) => void;
  /**
   * There was a second start: come to the front. A console returns a fresh link, other shells
   * null.
   */
  readonly onFocus: () => string | null;
  /** Absent: a shell that honours no setting and ships no runner. */
  readonly facts?: ShellFacts;
}

/** Only one UI host owns the approvals socket; a second one learns which that is, and ends. */
export type UiHostStart =
  | { readonly kind: 'started'; readonly host: UiHost }
  | { readonly kind: 'already-running'; readonly other: RunningHost };

/** The facts of a shell that honours these settings, has no shortcuts and ships no runner. */
export function plainFacts(honoured: readonly SettingName[]): ShellFacts {
  return {
    honoured,
    taken: () => [],
    startRunner: () => null,
    openInBrowser: () => null,
    onChange: () => undefined,
  };
}
