import { statSync } from 'node:fs';
import { displayPlain } from '../../../shared/base/index.ts';
import type { Clock } from '../../../shared/base/index.ts';
import { keepTrying } from '../../limits/keep-trying.ts';
import type { GatewayAddress } from './access.ts';
import type { GatewayConnection } from './connection.ts';
import { GatewayFailure } from './frames.ts';
import { createOperator } from './operator.ts';
import type { Operator, OperatorParts } from './operator.ts';
import { signIn } from './sign-in.ts';
import type { Credentials, SignInOptions, SignedIn } from './sign-in.ts';

interface KeepConnectedParts {
  readonly operator: Pick<Operator, 'attach' | 'detach' | 'dispose'>;
  readonly connect: () => Promise<GatewayConnection>;
  readonly clock: Clock;
  /** From 0 up to 1: spreads the attempts of many clients. */
  readonly random: () => number;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

const firstWaitMs = 1_000;
const longestWaitMs = 30_000;

/**
 * Keeps the operator at its Gateway until the signal. Rejects only for a failure that trying again
 * cannot mend. Every ask is taken back at the end.
 */
export async function keepConnected(parts: KeepConnectedParts): Promise<void> {
  const { operator, connect, clock, random, say, signal } = parts;
  try {
    await keepTrying({
      clock,
      random,
      signal,
      firstMs: firstWaitMs,
      longestMs: longestWaitMs,
      attempt: async (wentWell) => {
        try {
          await stay(await connect(), parts, wentWell);
        } catch (error) {
          if (!(error instanceof GatewayFailure) || error.isFinal) throw error;
          say(error.hint === '' ? error.message : `${error.message}\n  ${error.hint}`);
        }
        return 'again';
      },
    });
  } finally {
    operator.dispose();
  }
}

async function stay(
  connection: GatewayConnection,
  { operator, say, signal }: KeepConnectedParts,
  isUp: () => void,
): Promise<void> {
  const close = (): void => connection.dispose();
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
  try {
    await operator.attach(connection);
    say("Connected to OpenClaw's Gateway.");
    isUp();
    const why = await connection.ended;
    if (!signal.aborted) say(`The connection to OpenClaw's Gateway ended: ${why}.`);
  } finally {
    operator.detach();
    signal.removeEventListener('abort', close);
    connection.dispose();
  }
}

interface StayOptions
  extends
    GatewayAddress,
    Pick<SignInOptions, 'clock' | 'version' | 'platform'>,
    Pick<OperatorParts, 'client' | 'say'> {
  /** Read anew for each connection. */
  readonly credentials: () => Promise<Credentials>;
  /** The agent that our key speaks for; null: each of OpenClaw's agents under a name of its own. */
  readonly agent: string | null;
  readonly signal: AbortSignal;
}

/** Answers OpenClaw's asks through the gate until the signal; rejects where only a person can help. */
export async function stayAtGateway(options: StayOptions): Promise<void> {
  const { url, isLocal, client, clock, say, agent, signal, credentials } = options;
  const { version, platform } = options;
  const operator = createOperator({ client, clock, say, question: { agent, isLocal, isFolder } });
  await keepConnected({
    operator,
    clock,
    random: Math.random,
    say,
    signal,
    connect: async () => {
      const known = await credentials();
      const connection = await signIn({
        url,
        clock,
        version,
        platform,
        credentials: known,
        scope: 'operator.approvals',
        onEvent: (event) => operator.onEvent(event),
      });
      if (known.kind !== 'paired') say(mayBeBlind(connection));
      return connection;
    },
  });
}

/** What a person has to know where the Gateway may keep the asks of others to itself. */
function mayBeBlind({ hello }: Pick<SignedIn, 'hello'>): string {
  const version = hello.server?.version;
  const who = version === undefined ? 'Newer releases of OpenClaw' : `OpenClaw ${version}`;
  return `${displayPlain(who)} may show Interlock no asks of other clients until it is paired: interlock openclaw pair`;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
