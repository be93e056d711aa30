import type { Readable } from 'node:stream';
import { doubt } from './doubt.ts';

/** Most of what a host may write to its hook, in bytes; the runner reads as much. */
const inputLimit = 8 * 1024 * 1024;

/** What the host wrote: its bytes, to be passed on as they are, and what they mean. */
export interface HookInput {
  readonly bytes: Buffer;
  readonly value: unknown;
}

/** Reads standard input to its end. Throws a `Doubt` for what is too long or is not JSON in UTF-8. */
export async function readInput(stdin: Readable): Promise<HookInput> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > inputLimit)
      throw doubt('what the hook was given is longer than 8 MiB', 'Do it in smaller steps.');
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  return { bytes, value: valueOf(bytes) };
}

function valueOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw doubt(
      'what the hook was given is not JSON',
      'The host may have ended it early, or be of a version that Interlock does not know.',
    );
  }
}
