import type { Clock } from '../../../shared/clock/types.ts';
import type { Message } from './message.ts';
import { startRelay } from './relay.ts';
import type { Fate, Relay, RelayEnd } from './relay.ts';
import type { AgentProcess } from './start-agent.ts';

/** What looks at the messages between an agent and its client, and answers some of them. */
export interface Gateway {
  fromAgent(message: Message): Fate;
  fromClient(message: Message): Fate;
  /** Takes every ask back. */
  stop(): void;
}

export interface ServeOptions {
  readonly agent: AgentProcess;
  readonly client: RelayEnd;
  /** Makes the gateway, which speaks through the relay. */
  readonly gateway: (to: Pick<Relay, 'toAgent' | 'toClient'>) => Gateway;
  readonly clock: Clock;
  /** One line for the log of the client. */
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** An agent whose input has ended, or that was asked to end, gets this long to do so. */
const graceMs = 5_000;

/** Serves one agent until it ends. Resolves with its exit status; every open ask is taken back. */
export async function serveRelay(options: ServeOptions): Promise<number> {
  const { agent, client, clock, say, signal } = options;
  const cancels: (() => void)[] = [];
  const after = (run: () => void): void => void cancels.push(clock.after(graceMs, run));
  const stop = (): void => {
    agent.stop();
    after(() => agent.kill());
  };
  const relay: Relay = startRelay({
    client,
    agent,
    fromAgent: (message) => gateway.fromAgent(message),
    fromClient: (message) => gateway.fromClient(message),
    onUnclear: () => say('a line of the agent was not handed on: it is not one clear message.'),
  });
  const gateway = options.gateway(relay);
  signal.addEventListener('abort', stop, { once: true });
  relay.agentDone.catch((error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    stop();
  });
  let isOver = false;
  relay.clientDone
    .catch((error: unknown) => {
      if (!isOver) say(error instanceof Error ? error.message : String(error));
    })
    .finally(() => {
      // Nobody is there any more who could use an answer.
      gateway.stop();
      if (!isOver) after(stop);
    });
  const code = await agent.ended;
  isOver = true;
  await Promise.race([relay.agentDone.catch(() => undefined), aborted(signal)]);
  for (const cancel of cancels) cancel();
  gateway.stop();
  signal.removeEventListener('abort', stop);
  // A client that keeps its end open, or no longer reads, must not keep us.
  client.input.destroy();
  if (signal.aborted) client.output.destroy();
  return code;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
