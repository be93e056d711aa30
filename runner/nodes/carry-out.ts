import { displayPlain } from '../../shared/base/index.ts';
import type { Refusal } from '../../shared/base/index.ts';
import { maxResultLength, maxTailLength, truncationMark } from '../../shared/wire/index.ts';
import type { ExecEvent, NodeOutcome, NodeTask } from '../../shared/wire/index.ts';
import type { Gate } from '../gate/gate.ts';
import { createCapture } from '../gate/output.ts';
import type { AskRelay, Passing } from '../gate/request-context.ts';
import type { LinkPeer } from './link.ts';

/** What a gateway passes on, as it enters the gate of this machine. */
export interface CarriedTask {
  readonly task: NodeTask;
  readonly from: { readonly gateway: LinkPeer; readonly relay: AskRelay };
  /** Whoever asked is gone, or wants it stopped. */
  readonly gone: AbortSignal;
  /** Right before a process is made. What it throws ends the run as a refusal. */
  readonly starting: () => void;
}

const longest = 16_384;

/** Has the gate decide and run it. Resolves with what the gateway is told of it. */
export async function carryOutTask(
  { task, from: { gateway, relay }, gone, starting }: CarriedTask,
  exec: Gate['exec'],
): Promise<NodeOutcome> {
  const capture = createCapture(maxResultLength, maxTailLength);
  const emit = (event: ExecEvent): void => {
    if (event.type !== 'stdout' && event.type !== 'stderr') return;
    const isText = event.encoding === 'utf8';
    capture.add(
      event.type,
      isText ? event.data : Buffer.from(event.data, 'base64').toString('utf8'),
    );
  };
  let begun = false;
  const { id, isNamed, ...request } = task;
  const from: Passing = {
    gateway: gateway.id,
    displayName: displayPlain(gateway.displayName).slice(0, 64),
    id,
    isNamed,
    relay,
  };
  const start = (): null => {
    starting();
    begun = true;
    return null;
  };
  const incoming = { kind: 'exec', request, peer: null, from, starting: start } as const;
  const result = await exec(incoming, { emit, gone });
  if (!result.ok) return refused(result.refusal, { begun, ...capture.result() });
  const { exitCode, signal } = result.outcome;
  return { kind: 'ran', exitCode, signal, durationMs: result.durationMs, ...capture.result() };
}

type Refused = Extract<NodeOutcome, { kind: 'refused' }>;

function refused(
  { code, message, hint }: Refusal,
  rest: Omit<Refused, 'kind' | 'code' | 'message' | 'hint'>,
): Refused {
  const words = { message: message.slice(0, longest), hint: hint.slice(0, longest) };
  return { kind: 'refused', code, ...words, ...rest };
}

/** What becomes of a run where the node is busy. */
export const tooMuch: NodeOutcome = refused(
  {
    code: 'concurrency-busy',
    message: 'The node has more to do than it takes up.',
    hint: 'Wait until something has ended, then ask again.',
  },
  { begun: false, stdout: '', stderr: '', truncated: false, tail: '' },
);

const longestCut = 2_000;

/** The same outcome with the beginning and the end of its output alone. */
export function cutShort(outcome: NodeOutcome): NodeOutcome {
  const cut = (text: string): string =>
    text.length > longestCut ? `${text.slice(0, longestCut)}${truncationMark}` : text;
  const [stdout, stderr] = [cut(outcome.stdout), cut(outcome.stderr)];
  const truncated = outcome.truncated || stdout !== outcome.stdout || stderr !== outcome.stderr;
  const tail =
    outcome.tail.length > longestCut
      ? `${truncationMark} ${outcome.tail.slice(-longestCut)}`
      : outcome.tail;
  return { ...outcome, stdout, stderr, truncated, tail };
}
