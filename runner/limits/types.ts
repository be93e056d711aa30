import type { Rate } from '../../shared/base/index.ts';

/** Who uses up the limits: an agent on a socket. */
export interface Principal {
  readonly agent: string;
  readonly uid: number;
}

/** Counts requests, commands and asks. Every method throws `rate-limit` or `concurrency-busy`. */
export interface Limits {
  /** Takes one place among the requests under way; the answer gives it back. */
  enter(principal: Principal): () => void;
  /**
   * Takes one token for a command that is understood: of each program that has a rate of its own
   * (`executables` are real paths), else of the principal.
   */
  meter(principal: Principal, executables: readonly string[]): void;
  /** Takes one token of a class of brokered tools. */
  tool(principal: Principal, rate: Rate & { readonly class: string }): void;
  /** Takes one place among the asks that wait for a person; the answer gives it back. */
  ask(principal: Principal): () => void;
}
