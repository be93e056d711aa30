import type { Clock } from '../../../shared/clock/types.ts';
import type { GatewayConnection } from './connection.ts';
import { GatewayFailure } from './failure.ts';
import type { Operator } from './operator.ts';

export interface KeepConnectedParts {
  readonly operator: Pick<Operator, 'attach' | 'detach' | 'stop'>;
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
  const { operator, connect, say, signal } = parts;
  let waitMs = firstWaitMs;
  try {
    while (!signal.aborted) {
      try {
        await stay(await connect(), parts, () => {
          waitMs = firstWaitMs;
        });
      } catch (error) {
        if (!(error instanceof GatewayFailure) || error.isFinal) throw error;
        say(error.hint === '' ? error.message : `${error.message}\n  ${error.hint}`);
      }
      if (signal.aborted) return;
      await pause(waitMs * (0.5 + parts.random() / 2), parts);
      waitMs = Math.min(2 * waitMs, longestWaitMs);
    }
  } finally {
    operator.stop();
  }
}

async function stay(
  connection: GatewayConnection,
  { operator, say, signal }: KeepConnectedParts,
  isUp: () => void,
): Promise<void> {
  const close = (): void => connection.close();
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
    connection.close();
  }
}

async function pause(ms: number, { clock, signal }: KeepConnectedParts): Promise<void> {
  await new Promise<void>((resolve) => {
    const cancel = clock.after(ms, resolve);
    signal.addEventListener(
      'abort',
      () => {
        cancel();
        resolve();
      },
      { once: true },
    );
  });
}
