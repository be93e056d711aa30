import type { Ask } from '../../engine/index.ts';

/** How many closed asks are remembered, so that what crossed or came late is told from a made-up one. */
const remembered = 2_000;

interface OpenAsk {
  readonly ask: Ask;
  readonly digest: string;
}

interface ClosedAsk {
  readonly digest: string;
  readonly how: 'answered' | 'withdrawn';
}

/** The asks of one session, open and closed: the same register at both of its ends. */
export class SessionAsks {
  readonly #open = new Map<string, OpenAsk>();
  readonly #closed = new Map<string, ClosedAsk>();

  /** How many are open. */
  get size(): number {
    return this.#open.size;
  }

  /** Whether the id was used in this session. */
  has(id: string): boolean {
    return this.#open.has(id) || this.#closed.has(id);
  }

  add(ask: Ask, digest: string): void {
    this.#open.set(ask.id, { ask, digest });
  }

  open(id: string): OpenAsk | undefined {
    return this.#open.get(id);
  }

  closed(id: string): ClosedAsk | undefined {
    return this.#closed.get(id);
  }

  /** False when no such ask is open. */
  close(id: string, how: ClosedAsk['how']): boolean {
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
