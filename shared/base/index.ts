/** What everything stands on: coded refusals, checked input, text made safe to show, digests. No Node, no I/O. */

export type { Clock } from './clock.ts';
export { sha256, utf8Bytes } from './digest.ts';
export { createDisposables } from './disposables.ts';
export type { Disposables } from './disposables.ts';
export { displayPlain, displayText } from './display.ts';
export type { DisplaySegment } from './display.ts';
export { applyListChange, listChange } from './list-change.ts';
export type { ListChange } from './list-change.ts';
export { redact } from './redact.ts';
export { RefusalError, refusalCodes, refusalOf, refuse } from './refusal.ts';
export type { Refusal, RefusalCode } from './refusal.ts';
export { compile } from './schema.ts';
export type { Check, Checked, SchemaObject } from './schema.ts';
