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

/** An agent whose input has ended gets this long to end by itself. */
const graceMs = 5_000;

/** Serves one agent until it ends. Resolves with its exit status; every open ask is taken back. */
export async function serveRelay(options: ServeOptions): Promise<number> {
  const { agent, client, clock, say, signal } = options;
  let cancelGrace = (): void => undefined;
  const relay: Relay = startRelay({
    client,
    agent,
    fromAgent: (message) => gateway.fromAgent(message),
    fromClient: (message) => gateway.fromClient(message),
    onUnclear: () => say('a line of the agent was not handed on: it is not one clear message.'),
  });
  const gateway = options.gateway(relay);
  const stop = (): void => agent.stop();
  signal.addEventListener('abort', stop, { once: true });
  relay.agentDone.catch((error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    agent.stop();
  });
  relay.clientDone
    .catch((error: unknown) => say(error instanceof Error ? error.message : String(error)))
    .finally(() => {
      // Nobody is there any more who could use an answer.
      gateway.stop();
      cancelGrace = clock.after(graceMs, stop);
    });
  const code = await agent.ended;
  await relay.agentDone.catch(() => undefined);
  cancelGrace();
  gateway.stop();
  signal.removeEventListener('abort', stop);
  return code;
}
