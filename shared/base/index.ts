/** What everything stands on: coded refusals, checked input, text made safe to show, digests. No Node, no I/O. */

export type { Clock } from './clock.ts';
export { sha256, utf8Bytes } from './digest.ts';
export { createDisposables } from './disposables.ts';
export type { Disposable, Disposables } from './disposables.ts';
export { displayPlain, displayText } from './display.ts';
export type { DisplaySegment } from './display.ts';
export { parseJson } from './json.ts';
export { redact } from './redact.ts';
export { RefusalError, refusalCodes, refusalOf, refuse } from './refusal.ts';
export type { Refusal, RefusalCode } from './refusal.ts';
export { compile } from './schema.ts';
export type { Check, Checked, SchemaObject } from './schema.ts';
export { createTokenBucket, refilled, waitFor } from './token-bucket.ts';
export type { Rate, TokenBucket } from './token-bucket.ts';
