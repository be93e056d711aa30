import type { Ask, Decision } from '../../ask/types.ts';
import { isOffered } from '../../frames/offer.ts';
import type { LateReason } from './types.ts';
import { ViolationError } from './violation.ts';

/** How many closed asks are remembered, so that a late answer is told from a made-up one. */
const remembered = 2_000;

interface OpenAsk {
  readonly ask: Ask;
  readonly digest: string;
}

interface ClosedAsk {
  readonly digest: string;
  readonly how: 'answered' | 'withdrawn';
}

/** The asks of one session as the runner sees them, and what an answer to each is worth. */
export class OpenAsks {
  readonly #open = new Map<string, OpenAsk>();
  readonly #closed = new Map<string, ClosedAsk>();

  get size(): number {
    return this.#open.size;
  }

  has(id: string): boolean {
    return this.#open.has(id) || this.#closed.has(id);
  }

  add(ask: Ask, digest: string): void {
    this.#open.set(ask.id, { ask, digest });
  }

  /** False when no such ask is open. */
  withdraw(id: string): boolean {
    return this.#close(id, 'withdrawn');
  }

  /**
   * Settles an ask. `counts` when the decision is about an open ask, names its digest, is in time
   * and picks what was offered; a reason when it merely came late. Throws a `ViolationError` for
   * every answer that an honest approver cannot give.
   */
  settle(decision: Decision, now: number): 'counts' | LateReason {
    const open = this.#open.get(decision.id);
    const digest = open?.digest ?? this.#closed.get(decision.id)?.digest;
    if (digest === undefined) {
      throw new ViolationError('unknown-ask', 'A decision answers an ask that was never made.');
    }
    if (decision.askDigest !== digest) {
      throw new ViolationError(
        'digest-mismatch',
        'A decision answers something else than was asked.',
      );
    }
    if (open === undefined) return this.#late(decision.id);
    if (!isOffered(open.ask, decision)) {
      throw new ViolationError('not-offered', 'A decision picks what was not offered.');
    }
    if (now > open.ask.expiresAt) return 'expired';
    this.#close(decision.id, 'answered');
    return 'counts';
  }

  #late(id: string): LateReason {
    if (this.#closed.get(id)?.how === 'withdrawn') return 'withdrawn';
    throw new ViolationError('already-answered', 'A decision answers an ask for a second time.');
  }

  #close(id: string, how: ClosedAsk['how']): boolean {
    const open = this.#open.get(id);
    if (open === undefined) return false;
    this.#open.delete(id);
    this.#closed.set(id, { digest: open.digest, how });
    if (this.#closed.size > remembered) {
      for (const oldest of this.#closed.keys()) {
        this.#closed.delete(oldest);
        break;
      }
    }
    return true;
  }
}
