import { compile, readJson, s } from '../../shared/base/index.ts';
import type { Check, Clock, Static } from '../../shared/base/index.ts';
import { nodeStateFields } from './handshake.ts';
import type { NodeState } from './handshake.ts';
import { openLink } from './link.ts';
import type { LinkPeer, NodeLink, TextWire } from './link.ts';
import type { Talk } from './talk.ts';

/** What a gateway adds to its version for what an older one would not know: asks, and reports. */
const marks = ['asks', 'reports'] as const;

/** The version as this gateway says it. */
export function versionOfGateway(version: string): string {
  return [`${version}${version.includes('+') ? '.' : '+'}${marks[0]}`, ...marks.slice(1)].join('.');
}

/** Whether a gateway that says this version knows that. */
export function isKnownTo(version: string, mark: (typeof marks)[number]): boolean {
  return version.split('+')[1]?.split('.').includes(mark) === true;
}

/** More than one gateway that made a fleet, and all that it may add. */
const mostReported = 16;
const report = s.object({
  /** Whether that machine is locked, by whomever. */
  locked: s.boolean(),
  /**
   * Its gateways, this one too, and for how many milliseconds it has been so with each; null: it was
   * never connected to that one since its runner was started.
   */
  gateways: s.array(
    s.object({
      id: s.string({ pattern: '^[0-9a-f]{64}$' }),
      connected: s.boolean(),
      forMs: s.nullable(s.integer({ minimum: 0 })),
    }),
    { maxItems: mostReported },
  ),
});
/** What a node says of how it stands. Nothing is decided by it. */
export type NodeReport = Static<typeof report>;

/** A sign of life, between the frames of a link. Both sides send it; what it says is the sender's own. */
const beat = s.object({
  type: s.literal('beat'),
  ...nodeStateFields,
  report: s.optional(report),
});
const checkBeat = compile(beat);
const longestBeat = 4_096;

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
  readonly onState?: (state: NodeState, report?: NodeReport) => void;
  /** What this side reports, to a gateway that knows reports; absent: nothing. */
  readonly reporter?: Reporter;
}

/** Where a node reads how it stands. */
export interface Reporter {
  read(): NodeReport;
  /** Calls back when that is another by now; answers how to stop. */
  onChange(told: () => void): () => void;
}

/**
 * The link that follows a handshake. It ends with `lost` when the other side is silent for too long,
 * so that a connection which broke without a word is noticed on both sides.
 */
export function openSession<In, Out>(options: SessionOptions<In>): NodeLink<In, Out> {
  const { talk, wire, clock, peer, check, state, onState, reporter } = options;
  const { link, events } = openLink<In, Out>({ peer, check, wire });
  let cancelBeat = (): void => undefined;
  let cancelSilence = (): void => undefined;
  let forgetChanges: (() => void) | null = null;

  const heard = (): void => {
    cancelSilence();
    cancelSilence = clock.after(silenceMs, () => {
      const detail = 'The other machine fell silent.';
      events.over({ code: 'lost', detail });
      wire.close(detail);
    });
  };
  const tick = (): void => {
    cancelBeat();
    const { version, policyHash } = state();
    const more = forgetChanges === null ? {} : { report: reporter?.read() };
    wire.send(JSON.stringify({ type: 'beat', version, policyHash, ...more }));
    cancelBeat = clock.after(beatMs, tick);
  };
  link.onClose(() => {
    cancelBeat();
    cancelSilence();
    forgetChanges?.();
  });
  heard();
  cancelBeat = clock.after(0, tick);
  talk.handOver({
    over: (end) => events.over(end),
    text: (text) => {
      if (!link.isOpen) return;
      heard();
      const said = text.length <= longestBeat ? readJson(checkBeat, text) : null;
      if (said?.ok !== true) {
        events.text(text);
        return;
      }
      const { version, policyHash, report: reported } = said.value;
      if (reporter !== undefined && forgetChanges === null && isKnownTo(version, 'reports')) {
        forgetChanges = reporter.onChange(tick);
        tick();
      }
      onState?.({ version, policyHash }, reported);
    },
  });
  return link;
}
