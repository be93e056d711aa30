import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { strictLineCutter } from '../../../shared/ipc/index.ts';
import { readMessage } from './message.ts';
import type { Message } from './message.ts';

/** Puts an entry last and lets the oldest go, so that what a peer tells cannot fill the memory. */
export function keepRecent<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}

/** What to do with a line: hand it on as it came, or keep it because it is answered here. */
export type Fate = 'pass' | 'keep';

export interface RelayEnd {
  readonly input: Readable;
  readonly output: Writable;
}

interface RelayOptions {
  /** The editor, the program that has a person. */
  readonly client: RelayEnd;
  /** The agent. */
  readonly agent: RelayEnd;
  /** Looks at each message; called in the order of the lines, and must not take long. */
  readonly fromAgent: (message: Message) => Fate;
  readonly fromClient: (message: Message) => Fate;
  /** A line that was not handed on, for the log. */
  readonly onUnclear: () => void;
}

/** Both directions; each ends with its source, and then ends its target. */
export interface Relay {
  /** Messages of our own, between the lines of the others. */
  toAgent(message: object): void;
  toClient(message: object): void;
  readonly agentDone: Promise<void>;
  readonly clientDone: Promise<void>;
}

/** Longest line, in bytes: a file in a message of an editor. */
const longestLine = 64 * 1024 * 1024;

/** Hands lines on in both directions, byte for byte, except those that are answered here. */
export function startRelay(options: RelayOptions): Relay {
  const { client, agent, fromAgent, fromClient, onUnclear } = options;
  return {
    toAgent: (message) => void agent.output.write(`${JSON.stringify(message)}\n`),
    toClient: (message) => void client.output.write(`${JSON.stringify(message)}\n`),
    // What an agent says and two readers could understand differently reaches nobody.
    agentDone: carry(agent.input, client.output, (message) => {
      if (message.kind !== 'unclear') return fromAgent(message);
      onUnclear();
      return 'keep';
    }),
    clientDone: carry(client.input, agent.output, fromClient).finally(() => agent.output.end()),
  };
}

async function carry(
  from: Readable,
  to: Writable,
  look: (message: Message) => Fate,
): Promise<void> {
  const cutter = strictLineCutter(longestLine);
  const hand = async (line: Buffer): Promise<void> => {
    const isBlank = line.length <= 2 && line.toString().trim() === '';
    if (!isBlank && look(readMessage(line)) === 'keep') return;
    if (!to.write(line) && !to.destroyed)
      await Promise.race([once(to, 'drain'), once(to, 'close')]);
  };
  for await (const bytes of from as AsyncIterable<Buffer>)
    for (const line of cutter.push(bytes)) await hand(line);
  const rest = cutter.rest();
  if (rest.length > 0) await hand(rest);
}
