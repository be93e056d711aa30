import { displayPlain, RefusalError, knownRefusalCode, refuse } from '../../shared/base/index.ts';
import type { Refusal } from '../../shared/base/index.ts';
import {
  maxNodeStdinBytes,
  maxResultLength,
  maxTailLength,
  truncationMark,
} from '../../shared/wire/index.ts';
import type { ExecEvent, NodeOutcome, NodeTask, RunEnd } from '../../shared/wire/index.ts';
import { withoutKnown } from '../audit/known-secrets.ts';
import type { NodeRunner } from '../hosts/node.ts';
import { lateLines } from './boundary.ts';
import type { Executed } from './execute.ts';
import { stopReasonOf, stoppedRefusal } from './in-flight.ts';
import { createCapture } from './output.ts';
import type { GatePorts } from './ports.ts';
import { learn } from './request-context.ts';
import type { Call, Permitted } from './request-context.ts';

/** What a node that cuts its output itself can send, both streams together. */
const mostOutput = maxResultLength + 2 * truncationMark.length;

/**
 * Has a node run the command, as it was asked for: what it means there is found out and decided there.
 * The modes of this machine's policy go along, and only tighten. Of what the node tells nothing is
 * believed but for what it says of this one run.
 */
export async function executeThere(
  permitted: Permitted,
  { flight, io }: Call,
  ports: GatePorts,
  there: NodeRunner,
): Promise<Executed> {
  const { target, identity } = permitted;
  const task = taskOf(permitted, ports.config().exec);
  ports.audit.append({ type: 'starting', id: flight.id, at: ports.clock.now() });
  ports.stops.check();
  learn(permitted, { startedAt: ports.clock.now() });
  flight.handedOn();
  const since = ports.clock.elapsed();
  const end = await there.run(target.nodeId ?? '', task, {
    signal: flight.signal,
    session: identity.session,
    started: () => {
      const node = target.node ?? target.host.name;
      ports.events.add(identity.session, { type: 'started', node, id: flight.id });
    },
  });
  const outcome = outcomeOf(end, permitted, flight.signal);
  const late = lateLines(identity.session, ports) ?? '';
  const capture = createCapture(mostOutput, maxTailLength);
  for (const stream of ['stdout', 'stderr'] as const) capture.add(stream, outcome[stream]);
  const { stdout, stderr, truncated } = capture.result();
  const output = {
    stdout: withoutKnown(stdout),
    stderr: `${withoutKnown(stderr)}${late}`,
    truncated: truncated || outcome.truncated,
    tail: withoutKnown(outcome.tail),
  };
  for (const stream of ['stdout', 'stderr'] as const)
    if (output[stream] !== '')
      await io.emit({
        type: stream,
        id: flight.id,
        data: output[stream],
        encoding: 'utf8',
      } satisfies ExecEvent);
  const durationMs = Math.round(ports.clock.elapsed() - since);
  const { exitCode, signal } = outcome.kind === 'ran' ? outcome : { exitCode: null, signal: null };
  return {
    outcome: { ending: 'exited', exitCode, signal },
    durationMs,
    output,
    drift: outcome.kind === 'ran' ? null : new RefusalError(outcome),
  };
}

/** The node's own word where it has one; throws where nothing ran, or nobody knows. */
function outcomeOf(
  end: RunEnd<NodeOutcome>,
  permitted: Permitted,
  signal: AbortSignal,
): Ran | (Refused & Refusal) {
  const name = permitted.target.node ?? '';
  if (end.kind === 'unknown') {
    learn(permitted, { isUncertain: true });
    throw refuse(
      'host-unavailable',
      `The node ${name} has not told what became of the command: it may have done anything.`,
      'It is not run again. Look at what it did before you ask anew.',
    );
  }
  if (end.kind === 'never-started')
    throw signal.aborted
      ? stoppedRefusal(stopReasonOf(signal))
      : refuse('requester-gone', 'The command was taken back before it began.', 'Ask again.');
  const { outcome } = end;
  if (outcome.kind === 'refused' && !outcome.begun) throw new RefusalError(said(outcome, name));
  if (outcome.kind === 'ran') return outcome;
  const why = signal.aborted ? stoppedRefusal(stopReasonOf(signal)).refusal : said(outcome, name);
  return { ...outcome, ...why };
}

/** Whose no it was, a line each: no words of another machine look like more than that. */
function said({ code, message, hint }: Refused, name: string): Refusal {
  const line = (text: string): string => withoutKnown(displayPlain(text).replaceAll(/\s+/gu, ' '));
  return {
    code: knownRefusalCode(code),
    message: `On the node ${name}: ${line(message)}`,
    hint: line(hint),
  };
}

type Ran = NodeOutcome & { readonly kind: 'ran' };
type Refused = NodeOutcome & { readonly kind: 'refused' };

function taskOf(
  { id, incoming, identity, policy }: Permitted,
  exec: { readonly timeoutMs: number; readonly maxTimeoutMs: number },
): NodeTask {
  if (incoming.kind !== 'exec') throw new Error('a node runs commands and nothing else');
  const { argv, command, env, cwd, stdin, statedReason, sandbox } = incoming.request;
  const { timeoutMs = exec.timeoutMs } = incoming.request;
  if (stdin !== undefined && Buffer.byteLength(stdin, 'base64') > maxNodeStdinBytes)
    throw refuse(
      'invalid-request',
      `Standard input for a node has at most ${String(maxNodeStdinBytes)} bytes.`,
      'Put it into a file there first.',
    );
  return {
    id,
    agent: identity.claimed ?? identity.agent,
    isNamed: identity.claimed === null,
    ...(identity.session !== null && { session: identity.session }),
    ...(argv !== undefined && { argv }),
    ...(command !== undefined && { command }),
    ...(env !== undefined && { env }),
    cwd,
    ...(stdin !== undefined && { stdin }),
    timeoutMs: Math.min(timeoutMs, exec.maxTimeoutMs),
    ...(statedReason !== undefined && { statedReason }),
    security: policy.security,
    ask: policy.ask,
    ...(sandbox !== undefined && { sandbox }),
  };
}
