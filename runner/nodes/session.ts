import { compile, readJson, s } from '../../shared/base/index.ts';
import type { Check, Clock } from '../../shared/base/index.ts';
import { nodeStateFields } from './handshake.ts';
import type { NodeState } from './handshake.ts';
import { openLink } from './link.ts';
import type { LinkPeer, NodeLink, TextWire } from './link.ts';
import type { Talk } from './talk.ts';

/** A sign of life, between the frames of a link. Both sides send it; what it says is the sender's own. */
const beat = s.object({ type: s.literal('beat'), ...nodeStateFields });
const checkBeat = compile(beat);
const longestBeat = 512;

/** How often a sign of life is sent, and after how long without anything the other side counts as gone. */
export const beatMs = 15_000;
export const silenceMs = 50_000;

export interface SessionOptions<In> {
  readonly talk: Talk;
  readonly wire: TextWire;
  readonly clock: Clock;
  readonly peer: LinkPeer;
  readonly check: Check<In>;
  /** What this side says of itself, read anew for each sign of life. */
  readonly state: () => NodeState;
  /** What the other side says of itself, with each of its signs of life. */
  readonly onState?: (state: NodeState) => void;
}

/**
 * The link that follows a handshake. It ends with `lost` when the other side is silent for too long,
 * so that a connection which broke without a word is noticed on both sides.
 */
export function openSession<In, Out>(options: SessionOptions<In>): NodeLink<In, Out> {
  const { talk, wire, clock, peer, check, state, onState } = options;
  const { link, events } = openLink<In, Out>({ peer, check, wire });
  let cancelBeat = (): void => undefined;
  let cancelSilence = (): void => undefined;

  const heard = (): void => {
    cancelSilence();
    cancelSilence = clock.after(silenceMs, () => {
      const detail = 'The other machine fell silent.';
      events.over({ code: 'lost', detail });
      wire.close(detail);
    });
  };
  const tick = (): void => {
    const { version, policyHash } = state();
    wire.send(JSON.stringify({ type: 'beat', version, policyHash }));
    cancelBeat = clock.after(beatMs, tick);
  };
  link.onClose(() => {
    cancelBeat();
    cancelSilence();
  });
  heard();
  cancelBeat = clock.after(0, tick);
  talk.handOver({
    over: (end) => events.over(end),
    text: (text) => {
      if (!link.isOpen) return;
      heard();
      const said = text.length <= longestBeat ? readJson(checkBeat, text) : null;
      if (said?.ok !== true) events.text(text);
      else onState?.({ version: said.value.version, policyHash: said.value.policyHash });
    },
  });
  return link;
}
