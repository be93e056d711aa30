import { createTokenBucket, displayPlain, sha256 } from '../../shared/base/index.ts';
import type { Clock, TokenBucket } from '../../shared/base/index.ts';
import type { Ask, RelayedAsk } from '../../shared/engine/index.ts';
import { maxRelayedAskLength } from '../../shared/wire/index.ts';
import type { RelayTold, ToGatewayFrame, ToNodeFrame } from '../../shared/wire/index.ts';
import type { AskRelay, RelayEvents } from '../gate/request-context.ts';
import type { NodeLink } from './link.ts';
import { isKnownTo } from './session.ts';

/** Asks of this machine about what its gateway passes on, as it raises them there, too. */

/** How long a gateway may take to say that somebody is there, in milliseconds. */
const shownMs = 10_000;
/** How often the record is told of what the other machine does wrong. */
const telling = { burst: 5, perSecond: 1 / 60 } as const;

type LinkToGateway = NodeLink<ToNodeFrame, ToGatewayFrame>;

export interface OwnAsksOptions {
  readonly clock: Clock;
  /** What the settings of this machine say. Throws while they are not valid. */
  readonly allowed: () => boolean;
  /** For the record; never a secret. */
  readonly note: (code: string, text: string) => void;
}

/** The node's end. */
export interface OwnAsks {
  /** The gateway is there, by this pairing. */
  connected(link: LinkToGateway, pairing: string): void;
  /** The gateway has said its version, over the link that there is. */
  heard(version: string): void;
  told(link: LinkToGateway, frame: Extract<ToNodeFrame, { type: 'ask-told' }>): void;
  /** Where asks about this run may be answered, too. */
  relayOf(run: number, pairing: string): AskRelay;
}

/** An ask that the gateway shows, or is to show once it is there again. */
interface Raised {
  readonly run: number;
  readonly pairing: string;
  readonly text: string;
  /** By the clock of durations. */
  readonly until: number;
  readonly events: RelayEvents;
  /** Null while no link has it. */
  question: number | null;
  wasShown: boolean;
  cancel: () => void;
}

/** The asks of a node at its gateway. Its own settings say whether there are any. */
export function openOwnAsks(options: OwnAsksOptions): OwnAsks {
  return new AsksAtGateway(options);
}

class AsksAtGateway implements OwnAsks {
  readonly #clock: Clock;
  readonly #allowed: () => boolean;
  readonly #note: OwnAsksOptions['note'];
  readonly #mayTell: TokenBucket;
  readonly #raised = new Set<Raised>();
  #here: { readonly link: LinkToGateway; readonly pairing: string } | null = null;
  /** The gateway that is there knows what an ask is. */
  #isUnderstood = false;
  #last = 0;

  constructor({ clock, allowed, note }: OwnAsksOptions) {
    this.#clock = clock;
    this.#allowed = allowed;
    this.#note = note;
    this.#mayTell = createTokenBucket(clock, telling);
  }

  connected(link: LinkToGateway, pairing: string): void {
    this.#here = { link, pairing };
    link.onClose(() => this.#left(link));
    this.#putAll();
  }

  heard(version: string): void {
    this.#isUnderstood = isKnownTo(version, 'asks');
    this.#putAll();
  }

  told(link: LinkToGateway, { question, told }: Extract<ToNodeFrame, { type: 'ask-told' }>): void {
    const one = [...this.#raised].find((each) => each.question === question);
    // Taken back, answered already, or never asked: it counts for nothing.
    if (one === undefined || this.#here?.link !== link) return;
    if (told.kind === 'answer') this.#answered(one, link, told);
    else if (told.kind === 'shown') {
      one.cancel();
      one.wasShown = true;
    } else this.#end(one);
  }

  relayOf(run: number, pairing: string): AskRelay {
    return {
      raise: (ask, events) => {
        const text = JSON.stringify(relayedOf(ask));
        if (text.length > maxRelayedAskLength) return null;
        const until = this.#clock.elapsed() + ask.expiresAt - this.#clock.now();
        const state = { question: null, wasShown: false, cancel: () => undefined };
        const one: Raised = { run, pairing, text, until, events, ...state };
        if (!this.#put(one)) return null;
        this.#raised.add(one);
        return () => this.#takeBack(one);
      },
    };
  }

  /** Has the gateway show it. False where it does not. */
  #put(one: Raised): boolean {
    const here = this.#here;
    const leftMs = Math.floor(one.until - this.#clock.elapsed());
    if (here?.pairing !== one.pairing || !this.#isUnderstood || leftMs < 1) return false;
    if (!this.#isAllowed()) return false;
    this.#last += 1;
    const question = this.#last;
    const { run, text } = one;
    if (!here.link.send({ type: 'ask', question, run, leftMs, text })) return false;
    one.question = question;
    one.cancel = this.#clock.after(shownMs, () => {
      this.#takeBack(one);
      one.events.ended(one.wasShown);
    });
    return true;
  }

  #putAll(): void {
    for (const one of this.#raised) if (one.question === null) this.#put(one);
  }

  #answered(
    one: Raised,
    link: LinkToGateway,
    { digest, said, by, note }: Extract<RelayTold, { kind: 'answer' }>,
  ): void {
    const who = `${displayPlain(link.peer.displayName)} (${link.peer.id})`;
    if (digest !== sha256(one.text)) {
      if (this.#mayTell())
        this.#note('gateway-answer-refused', `${who} answers another ask than it was shown.`);
    } else if (this.#isAllowed()) {
      this.#remove(one);
      const words = note === undefined ? {} : { note: cut(displayPlain(note), longestNote) };
      const where = `${displayPlain(link.peer.displayName)} (${link.peer.id.slice(0, 16)})`;
      const whole = cut(`${where}, ${displayPlain(by)}`, longestBy);
      one.events.answered({ said, by: whole, ...words });
    } else this.#end(one);
  }

  #left(link: LinkToGateway): void {
    if (this.#here?.link !== link) return;
    this.#here = null;
    this.#isUnderstood = false;
    for (const one of this.#raised) {
      one.cancel();
      one.question = null;
      // What somebody had in front of them waits for the next link: a link that is cut softens nothing.
      if (!one.wasShown) this.#end(one);
    }
  }

  #takeBack(one: Raised): void {
    if (!this.#raised.has(one)) return;
    this.#remove(one);
    const { question } = one;
    if (question !== null) this.#here?.link.send({ type: 'ask-over', question });
  }

  #end(one: Raised): void {
    this.#remove(one);
    one.events.ended(one.wasShown);
  }

  #remove(one: Raised): void {
    one.cancel();
    this.#raised.delete(one);
  }

  #isAllowed(): boolean {
    try {
      return this.#allowed();
    } catch {
      return false;
    }
  }
}

/** Longest that a row of the record has, in characters: what is written out grows. */
const longestBy = 1_000;
const longestNote = 2_000;

function cut(text: string, most: number): string {
  return Array.from(text).slice(0, most).join('');
}

/** What the gateway is shown of an ask, and no more: nothing in it can be remembered. */
function relayedOf(ask: Ask): RelayedAsk {
  const { kind, toolUseId, statedReason, cwd, command, isShellText, stages, opaque } = ask;
  const { detail, why, whyCode, risk, advice, env, presence, host } = ask;
  return {
    kind,
    toolUseId,
    statedReason,
    cwd,
    command,
    isShellText,
    stages,
    opaque,
    why,
    risk,
    env,
    isSandboxed: /^sandbox\b/u.test(host),
    ...(detail !== undefined && { detail }),
    ...(whyCode !== undefined && { whyCode }),
    ...(advice !== undefined && { advice }),
    ...((presence === 'hold' || presence === 'either') && { presence }),
  };
}
