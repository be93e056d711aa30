import { refusalOf } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import type { RunnerState } from '../../shared/engine/index.ts';
import { connect, createNonceMemory, openRunnerSession } from '../../shared/ipc/index.ts';
import type { Duplex, RunnerSession } from '../../shared/ipc/index.ts';
import type { AskEnding } from '../gate/ports.ts';
import type { Log } from '../service/log.ts';
import type { PendingAsks } from './pending.ts';

/** What an attempt to reach the approver yields. */
type Reached =
  | { readonly kind: 'session'; readonly session: RunnerSession }
  | Extract<AskEnding, { kind: 'unreachable' | 'lost' }>;

/** The connection to the approver, made when there is somebody and kept as long as it holds. */
export interface ApproverLink {
  /** The session that stands, or a new one; one attempt for all who ask at once. */
  reach(): Promise<Reached>;
  session(): RunnerSession | null;
  onChange(listener: () => void): void;
  /** Ends the session; the next `reach` makes a new one. */
  drop(): void;
  /** Ends the session for good: nobody is reached from then on. */
  dispose(): void;
}

interface Address {
  readonly path: string;
  readonly token: string;
}

interface LinkOptions {
  readonly clock: Clock;
  readonly uid: number;
  readonly log: Log;
  readonly pending: PendingAsks;
  /**
   * Where the approver listens, and the secret that both know; null while the policy has none. Rejects
   * with a refusal where the secret cannot be had.
   */
  readonly address: () => Promise<Address | null>;
  readonly timeoutMs: () => number;
  /** A breach of the protocol, for the record. */
  readonly onViolation: (code: string, detail: string) => void;
  readonly connect?: (path: string, timeoutMs: number) => Promise<Duplex>;
}

export function createLink(options: LinkOptions): ApproverLink {
  const { pending, log } = options;
  const nonces = createNonceMemory(options.clock);
  const listeners: (() => void)[] = [];
  let session: RunnerSession | null = null;
  /** The secret that the session was opened with; another one in force makes it worth nothing. */
  let sessionToken: string | null = null;
  let attempt: Promise<Reached> | null = null;
  let lastFailure: string | null = null;
  let closed = false;
  const changed = (): void => {
    for (const listener of listeners) listener();
  };

  const adopt = (opened: RunnerSession, token: string): void => {
    session = opened;
    sessionToken = token;
    lastFailure = null;
    opened.onClose(({ code, detail }) => {
      if (session !== opened) return;
      session = null;
      log.info(`The approver is gone (${code}): ${detail}`);
      pending.endAll(lost('The connection to the approver broke before the answer.'));
      changed();
    });
    opened.onLateDecision(({ id }, why) =>
      log.info(`An answer to ${id} counted for nothing: ${why}`),
    );
    opened.onDecision((decision) => void pending.answer(decision, 'app'));
    log.info('The approver is connected.');
    changed();
  };
  const open = async (): Promise<Reached> => {
    const attempted = await openSession(options, nonces);
    if (attempted.kind === 'unreachable') return attempted;
    if (attempted.kind === 'failed') return failed(attempted.error);
    const { session: opened, token } = attempted;
    if (closed) {
      opened.dispose();
      return { kind: 'unreachable' };
    }
    if ((await tokenNow(options)) !== token) {
      // A lockout came in between: who knows only the secret of before is nobody any more.
      opened.dispose();
      return open();
    }
    adopt(opened, token);
    return { kind: 'session', session: opened };
  };
  /** Somebody is there, so this is no reason to fall back: a false approver must not soften anything. */
  const failed = (error: unknown): Reached => {
    const detail = refusalOf(error)?.message ?? 'The approver could not be connected.';
    if (detail !== lastFailure) log.error('The approver is not to be trusted', error);
    lastFailure = detail;
    return lost(detail);
  };

  return {
    reach: async () => {
      if (closed) return { kind: 'unreachable' };
      if (session !== null && (await tokenNow(options)) !== sessionToken) session?.dispose();
      if (session !== null) return { kind: 'session', session };
      attempt ??= open().finally(() => {
        attempt = null;
      });
      return attempt;
    },
    session: () => session,
    onChange: (listener) => void listeners.push(listener),
    drop: () => session?.dispose(),
    dispose: () => {
      closed = true;
      session?.dispose();
    },
  };
}

/** The secret in force; null where there is none or it cannot be had, so that no session lives on. */
async function tokenNow({ address }: LinkOptions): Promise<string | null> {
  try {
    return (await address())?.token ?? null;
  } catch {
    return null;
  }
}

type Attempted =
  | { readonly kind: 'opened'; readonly session: RunnerSession; readonly token: string }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** One attempt at a session. Unreachable is only where nobody is there. */
async function openSession(
  options: LinkOptions,
  nonces: ReturnType<typeof createNonceMemory>,
): Promise<Attempted> {
  const { clock, uid, onViolation } = options;
  let duplex: Duplex | null = null;
  try {
    const address = await options.address();
    if (address === null) return { kind: 'unreachable' };
    const { path, token } = address;
    duplex = await (options.connect ?? connectTo(clock))(path, options.timeoutMs()).catch(
      (error: unknown) => {
        if (refusalOf(error)?.code === 'approver-unavailable') return null;
        throw error;
      },
    );
    if (duplex === null) return { kind: 'unreachable' };
    const session = await openRunnerSession(duplex, {
      token,
      uid,
      clock,
      nonces,
      onViolation: ({ code, detail }) => onViolation(code, detail),
    });
    return { kind: 'opened', session, token };
  } catch (error) {
    duplex?.destroy();
    return { kind: 'failed', error };
  }
}

function connectTo(clock: Clock): NonNullable<LinkOptions['connect']> {
  return async (path, timeoutMs) => connect(path, { timeoutMs, clock });
}

function lost(detail: string): Extract<AskEnding, { kind: 'lost' }> {
  return { kind: 'lost', detail };
}

/** Changes that come within this time are told as one, so that a burst of commands floods nobody. */
const gatherMs = 50;

/** Tells the approver the runner's state when it connects and whenever it has changed. */
export function createStatePush(
  link: ApproverLink,
  state: () => RunnerState,
  clock: Clock,
): { readonly changed: () => void; readonly stop: () => void } {
  let cancel: (() => void) | null = null;
  let told: string | null = null;
  let stopped = false;
  const tell = (): void => {
    cancel = null;
    const session = link.session();
    if (session === null) return;
    const now = state();
    const text = JSON.stringify(now);
    if (text === told) return;
    told = text;
    session.state(now);
  };
  link.onChange(() => {
    told = null;
    tell();
  });
  return {
    changed: () => {
      if (!stopped) cancel ??= clock.after(gatherMs, tell);
    },
    stop: () => {
      stopped = true;
      cancel?.();
    },
  };
}
