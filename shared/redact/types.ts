/** One rule of redaction: what it finds, and what stands in its place. */
export interface RedactionRule {
  readonly name: string;
  /** Global; a group named `keep` stays in front of the mark, `rest` behind it. */
  readonly pattern: RegExp;
  /** Why values of this shape are secrets. */
  readonly why: string;
}

/** What stands where a secret stood. */
export const redactionMark = '[redacted]';
