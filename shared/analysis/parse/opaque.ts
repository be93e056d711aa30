import type { OpaqueReason, Span } from '../types.ts';

/** Thrown inside the analysis where understanding ends; `analyse` turns it into an answer. */
export class Opaque extends Error {
  readonly reason: OpaqueReason;
  readonly span: Span | null;

  constructor(reason: OpaqueReason, detail: string, span: Span | null) {
    super(detail);
    this.name = 'Opaque';
    this.reason = reason;
    this.span = span;
  }
}

/** An end of understanding at `start`, one character long unless `end` is given. */
export function opaque(
  reason: OpaqueReason,
  detail: string,
  start?: number,
  end = (start ?? 0) + 1,
): Opaque {
  return new Opaque(reason, detail, start === undefined ? null : { start, end });
}
