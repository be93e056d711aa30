/** What everything stands on: coded refusals, checked input, text made safe to show, digests. No Node, no I/O. */

export type { CheckMaker } from './checks-ahead.ts';
export type { Clock } from './clock.ts';
export { compile, compileAll } from './compile.ts';
export type { Check, Checked } from './compile.ts';
export { sha256, utf8Bytes } from './digest.ts';
export { createDisposables } from './disposables.ts';
export type { Disposable, Disposables } from './disposables.ts';
export { displayPlain, displayText, readAs } from './display.ts';
export type { DisplaySegment } from './display.ts';
export { parseJson, readJson, withLine } from './json.ts';
export { applyListChange, listChange, listChangeSchema } from './list-change.ts';
export type { ListChange } from './list-change.ts';
export {
  RefusalError,
  knownRefusalCode,
  messageOf,
  oneStop,
  refusalCodePattern,
  refusalCodes,
  refusalOf,
  refuse,
} from './refusal.ts';
export type { Refusal, RefusalCode } from './refusal.ts';
export { once, remembered } from './remembered.ts';
export { fileHead, s } from './schema.ts';
export type { Schema, Static, StaticFields } from './schema.ts';
export { createTokenBucket, refilled, waitFor } from './clock.ts';
export type { Rate, TokenBucket } from './clock.ts';
