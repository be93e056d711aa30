import type { Ask } from '../../ask/types.ts';
import { ViolationError } from './violation.ts';

/** How many closed ids are remembered, so that a withdrawal that crossed an answer is no breach. */
const remembered = 2_000;

/** The asks of one session as the approver sees them. */
export class ShownAsks {
  readonly #open = new Map<string, { readonly ask: Ask; readonly digest: string }>();
  readonly #closed = new Set<string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(ask: Ask, digest: string): void {
    const { id } = ask;
    if (this.#open.has(id) || this.#closed.has(id)) {
      throw new ViolationError('duplicate-ask', 'An ask has an id that was used before.');
    }
    if (this.#open.size >= this.#most) {
      throw new ViolationError('rate-exceeded', 'The runner has too many asks open at once.');
    }
    this.#open.set(id, { ask, digest });
  }

  /** True when the ask was open until now. */
  withdraw(id: string): boolean {
    if (this.#close(id)) return true;
    if (this.#closed.has(id)) return false;
    throw new ViolationError('unknown-ask', 'An ask is withdrawn that was never made.');
  }

  /** The ask, if it is open and the digest is its own. */
  find(id: string, digest: string): Ask | null {
    const open = this.#open.get(id);
    return open?.digest === digest ? open.ask : null;
  }

  answered(id: string): void {
    this.#close(id);
  }

  #close(id: string): boolean {
    if (!this.#open.delete(id)) return false;
    this.#closed.add(id);
    if (this.#closed.size > remembered) {
      for (const oldest of this.#closed) {
        this.#closed.delete(oldest);
        break;
      }
    }
    return true;
  }
}
