/** A stretch of a text that is to be hidden; `to` is behind its last character. */
export interface Hidden {
  readonly from: number;
  readonly to: number;
}
