import { utf8Bytes } from '../../shared/base/index.ts';
import type { StatePush } from './state-push.ts';
import type { BridgeCall, BridgeCalls, BridgeResult } from './types.ts';

/**
 * The messages between a page and its host, one JSON text each: over a WebSocket in the console,
 * over ipc in Electron. A page of another version is told to reload.
 */
export const bridgeVersion = 2;

/** No message from a page is longer, in UTF-8 bytes. */
export const pageMessageLimit = 256 * 1024;

export type PageMessage = {
  [C in BridgeCall]: {
    readonly type: 'call';
    /** Chosen by the page, unique among its open calls; the result names it. */
    readonly id: number;
    readonly name: C;
    readonly args: BridgeCalls[C]['args'];
  };
}[BridgeCall];

/** Why the host closes the connection: nobody used it, the host ends, the page is not of its version. */
export type GoodbyeReason = 'idle' | 'stopping' | 'version';

export type HostMessage =
  | { readonly type: 'connection'; readonly connected: true; readonly version: number }
  | { readonly type: 'connection'; readonly connected: false; readonly reason: GoodbyeReason }
  | StatePush
  | { readonly type: 'result'; readonly id: number; readonly answer: BridgeResult<BridgeCall> };

/** Whether the host would cut off the page that sends this text. */
export function isTooLong(text: string): boolean {
  if (text.length > pageMessageLimit) return true;
  return text.length * 3 > pageMessageLimit && utf8Bytes(text).length > pageMessageLimit;
}

/** A message as text for the wire. */
export function encodeMessage(message: PageMessage | HostMessage): string {
  return JSON.stringify(message);
}

/**
 * A message from the host, or null when the text is none. A page cannot compile schemas under its
 * content security policy, and it trusts its host: only the envelope is looked at.
 */
export function decodeHostMessage(text: string): HostMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || !('type' in value)) return null;
  const message = value as Record<string, unknown>;
  switch (message['type']) {
    case 'connection':
      return typeof message['connected'] === 'boolean' ? (value as HostMessage) : null;
    case 'state':
      return isObject(message['state']) ? (value as HostMessage) : null;
    case 'change':
      return isObject(message['change']) ? (value as HostMessage) : null;
    case 'result':
      return typeof message['id'] === 'number' && isObject(message['answer'])
        ? (value as HostMessage)
        : null;
    default:
      return null;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
