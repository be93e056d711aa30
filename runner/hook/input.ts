import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { maxHookBytes } from '../../shared/api/limits.ts';
import { doubt } from './doubt.ts';

/** What the host wrote: its bytes, to be passed on as they are, and what they mean. */
export interface HookInput {
  readonly bytes: Buffer;
  readonly value: unknown;
}

/** Reads standard input to its end. Rejects with a `Doubt` for what is too long or no JSON in UTF-8. */
export async function readInput(stdin: Readable): Promise<HookInput> {
  const bytes = await readAll(stdin);
  return { bytes, value: valueOf(bytes) };
}

/** By events, since what `for await` needs is loaded for it alone. */
async function readAll(stdin: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stdin.on('data', (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxHookBytes)
        reject(doubt('what the hook was given is longer than 8 MiB', 'Do it in smaller steps.'));
    });
    stdin.once('end', () => resolve(Buffer.concat(chunks)));
    stdin.once('error', reject);
  });
}

function valueOf(bytes: Buffer): unknown {
  try {
    if (isUtf8(bytes)) return JSON.parse(bytes.toString('utf8'));
  } catch {
    // Said below.
  }
  throw doubt(
    'what the hook was given is not JSON',
    'The host may have ended it early, or be of a version that Interlock does not know.',
  );
}
