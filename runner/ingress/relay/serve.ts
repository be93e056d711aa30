import { messageOf } from '../../../shared/base/index.ts';
import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../../shared/base/index.ts';
import type { Message } from './message.ts';
import { startRelay } from './relay.ts';
import type { Fate, Relay, RelayEnd } from './relay.ts';

/** An agent in a process of its own, with its errors on our standard error. */
interface AgentProcess {
  readonly input: Readable;
  readonly output: Writable;
  /** Resolves with its exit status as a shell reports it; 127 when it could not be started. */
  readonly ended: Promise<number>;
  /** Ends its input and asks it, and what it started, to end. */
  stop(): void;
  /** Insists. */
  kill(): void;
}

/** Starts words as a program, without a shell, in a process group of its own. */
export function startAgent(
  [program = '', ...args]: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): AgentProcess {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(program, args, {
    ...options,
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  // An agent that has ended reads no more; its end is told by `ended`.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
  const signalGroup = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // It has ended, and all that it started.
    }
  };
  return {
    input: child.stdout,
    output: child.stdin,
    ended,
    stop: () => {
      child.stdin.end();
      signalGroup('SIGTERM');
    },
    kill: () => signalGroup('SIGKILL'),
  };
}

/** What looks at the messages between an agent and its client, and answers some of them. */
export interface Gateway {
  fromAgent(message: Message): Fate;
  fromClient(message: Message): Fate;
  /** Takes every ask back. */
  dispose(): void;
}

interface ServeOptions {
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
    say(messageOf(error));
    stop();
  });
  let isOver = false;
  relay.clientDone
    .catch((error: unknown) => {
      if (!isOver) say(messageOf(error));
    })
    .finally(() => {
      // Nobody is there any more who could use an answer.
      gateway.dispose();
      if (!isOver) after(stop);
    });
  const code = await agent.ended;
  isOver = true;
  await Promise.race([relay.agentDone.catch(() => undefined), aborted(signal)]);
  for (const cancel of cancels) cancel();
  gateway.dispose();
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
