import type { Decision } from '../../shared/engine/index.ts';
import type { ToGatewayFrame, ToNodeFrame } from '../../shared/wire/index.ts';
import { createInFlight } from '../../runner/gate/in-flight.ts';
import type { AskDraft, AskEnding } from '../../runner/gate/ports.ts';
import { openNodeAsks } from '../../runner/nodes/asks.ts';
import type { NodeAsksOptions } from '../../runner/nodes/asks.ts';
import { openOwnAsks } from '../../runner/nodes/own-asks.ts';
import { versionOfGateway } from '../../runner/nodes/session.ts';
import type { OwnAsksOptions } from '../../runner/nodes/own-asks.ts';
import { checkAtGateway } from '../../runner/nodes/gateway-runs.ts';
import { checkAtNode } from '../../runner/nodes/node-runs.ts';
import { memoryLinks } from './memory-links.ts';
import { gateway, node, task } from './node-task.ts';
import { asking, desk, draft } from '../runner/approvals/support.ts';

/** Lets what is under way in memory arrive. */
export const soon = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const pairing = 'p1';

export interface Change {
  readonly own?: Partial<OwnAsksOptions>;
  readonly there?: Partial<NodeAsksOptions>;
  readonly version?: string;
}

/** A node and its gateway, each with an approver of its own, and a link on which a test may speak. */
export async function askingWorld({
  own,
  there,
  version = versionOfGateway('0.1.0'),
}: Change = {}) {
  const [build, bridge] = [desk(), desk()];
  // Where a test wants the node's own app, it arrives.
  build.leave();
  const records: string[] = [];
  const notes: string[] = [];
  const inFlight = createInFlight();
  let ids = 0;
  const asks = openOwnAsks({
    clock: build.clock,
    allowed: () => true,
    note: (code) => void notes.push(code),
    ...own,
  });
  const shown = openNodeAsks({
    clock: bridge.clock,
    newId: () => `q${String((ids += 1))}`,
    ask: async (asked, { timeoutMs, gone, onShown }) => {
      const { signal } = inFlight.enter(asked.id, gone);
      return bridge.approver.ask(asked, { ...asking(signal, timeoutMs), onPending: onShown });
    },
    wanted: () => ({ presence: null, approvers: 1 }),
    record: (code, text) => void records.push(`${code} ${text}`),
    note: (code) => void notes.push(code),
    ...there,
  });
  const said: ToGatewayFrame[] = [];
  const told: ToNodeFrame[] = [];
  const connect = async () => {
    const links = memoryLinks<ToGatewayFrame, ToNodeFrame>({
      checkAtGateway,
      checkAtNode,
      node,
      gateway,
    });
    links.atGateway.onFrame((frame) => {
      said.push(frame);
      if (frame.type === 'ask') shown.raised(links.atGateway, frame, frame.run === 1 ? task : null);
      if (frame.type === 'ask-over') shown.over(links.atGateway, frame.question);
    });
    links.atNode.onFrame((frame) => {
      told.push(frame);
      if (frame.type === 'ask-told') asks.told(links.atNode, frame);
    });
    asks.connected(links.atNode, pairing);
    asks.heard(version);
    await soon();
    return links;
  };
  const links = await connect();
  const ask = (change: Partial<AskDraft> = {}, run = 1, signal?: AbortSignal) =>
    build.approver.ask(
      { ...draft('a1'), ...change },
      { ...asking(signal), relay: asks.relayOf(run, pairing) },
    );
  /** The person at the gateway answers the newest ask. */
  const answer = (decision: Partial<Decision>): void => {
    const { ask: asked, digest = '' } = bridge.asked.at(-1) ?? {};
    bridge.session().decide({
      id: asked?.id ?? '',
      askDigest: digest,
      decision: 'allow-once',
      ...decision,
    });
  };
  return { build, bridge, asks, shown, links, connect, ask, answer, said, told, records, notes };
}

/** How an ask ended, in a word: the answer, or why there is none. */
export const kindOf = (ending: AskEnding): string =>
  ending.kind === 'decided' ? ending.decision.decision : ending.kind;
