import { connect } from 'node:net';
import { doubt } from './doubt.ts';
import type { Doubt } from './doubt.ts';
import { bodyOf, sizeOf } from './response.ts';

/** The longest answer that is read, in bytes: an input of 8 MiB, escaped, and the words around it. */
const answerLimit = 32 * 1024 * 1024;

export interface HookCall {
  readonly socketPath: string;
  /** Path and query. */
  readonly path: string;
  readonly body: Buffer;
  /** Headers that prove who calls. */
  readonly signature: Readonly<Record<string, string>>;
}

/**
 * One POST over the runner's socket; resolves with the body of the answer. Dropping the process
 * drops the connection, by which the runner knows that nobody waits any more. Plain sockets, because
 * Node's HTTP client adds a seventh to the whole process (decision 13). Rejects with a `Doubt`.
 */
export async function callRunner({ socketPath, path, body, signature }: HookCall): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    const chunks: Buffer[] = [];
    let size = 0;
    let whole: number | null = null;
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      try {
        whole ??= sizeOf(Buffer.concat(chunks));
        if ((whole ?? size) > answerLimit) throw tooLong();
        if (whole === null || size < whole) return;
        resolve(bodyOf(Buffer.concat(chunks).subarray(0, whole)));
      } catch (error) {
        reject(error);
      }
      socket.destroy();
    });
    socket.once('error', (error: NodeJS.ErrnoException) => reject(unreachable(error.code)));
    socket.once('end', () => reject(brokenOff()));
    socket.write(`${headOf(path, body.length, signature)}\r\n`);
    socket.write(body);
  });
}

function headOf(path: string, length: number, signature: HookCall['signature']): string {
  const headers = {
    host: 'interlock',
    connection: 'close',
    'content-type': 'application/json',
    'content-length': String(length),
    ...signature,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}`;
}

function unreachable(code: string | undefined): Doubt {
  if (code === 'EACCES' || code === 'EPERM')
    return doubt(
      "this user may not open the runner's socket",
      'Agent and runner must belong to the same user.',
    );
  if (code === 'ECONNRESET' || code === 'EPIPE') return brokenOff();
  return doubt('its runner is not there', 'A person starts it with "interlock up".');
}

function brokenOff(): Doubt {
  return doubt('its runner went away before it answered', 'Try again when it is back.');
}

function tooLong(): Doubt {
  return doubt('the answer of its runner is too long', 'Ask for less in one step.');
}
