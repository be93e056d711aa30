import type { Socket } from 'node:net';
import { refusalCodes, refusalOf } from '../../shared/base/index.ts';
import { connectThroughDoor } from '../../shared/ipc/index.ts';
import type { HookAnswer } from '../../shared/wire/index.ts';
import { doubt, doubts, refused } from './doubt.ts';
import type { Doubt } from './doubt.ts';

const headEnd = '\r\n\r\n';

/**
 * How many bytes the whole response has, from its beginning; null while its head is not complete.
 * Throws a `Doubt` for what is not an HTTP/1.1 response with one `content-length`.
 */
function sizeOf(beginning: Buffer): number | null {
  const end = beginning.indexOf(headEnd);
  if (end < 0) return null;
  const head = beginning.toString('latin1', 0, end);
  const lengths = [...head.matchAll(/\r\ncontent-length: *(\d{1,9}) *(?=\r\n|$)/gi)];
  const [length] = lengths;
  if (!/^HTTP\/1\.1 \d{3} /.test(head) || length === undefined || lengths.length > 1)
    throw doubts.foreign();
  return end + headEnd.length + Number(length[1]);
}

/** The body of a response that is there as a whole. */
function bodyOf(response: Buffer): string {
  return response.toString('utf8', response.indexOf(headEnd) + headEnd.length);
}

/**
 * What the gate wants the host to be told. Throws a `Doubt` with the gate's own words where it
 * refused, and for everything that is not an answer. Checked by hand: a schema compiler would take
 * longer to load than the whole hook.
 */
export function answerOf(body: string): HookAnswer {
  const said = fieldsOf(parse(body));
  if (said['ok'] === false) throw saidNo(fieldsOf(said['refusal']));
  const { stdout, stderr, exitCode } = fieldsOf(said['answer']);
  if (said['ok'] !== true || typeof stdout !== 'string' || typeof stderr !== 'string')
    throw doubts.foreign();
  if (typeof exitCode !== 'number' || !Number.isInteger(exitCode)) throw doubts.foreign();
  if (exitCode < 0 || exitCode > 255) throw doubts.foreign();
  return { stdout, stderr, exitCode };
}

function saidNo({ code, message, hint }: Readonly<Record<string, unknown>>): Doubt {
  const known = refusalCodes.find((one) => one === code);
  if (known === undefined || typeof message !== 'string' || typeof hint !== 'string')
    return doubts.foreign();
  return refused({ code: known, message, hint });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** The longest answer that is read, in bytes: an input of 8 MiB, escaped, and the words around it. */
const answerLimit = 32 * 1024 * 1024;

interface HookCall {
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
    const socket = open(socketPath);
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
    socket.once('end', () => reject(doubts.broken()));
    socket.write(`${headOf(path, body.length, signature)}\r\n`);
    socket.write(body);
  });
}

/** Only to a socket that our own user serves; whoever else waits there hears nothing. */
function open(socketPath: string): Socket {
  try {
    return connectThroughDoor(socketPath);
  } catch (error) {
    const refusal = refusalOf(error);
    throw refusal === undefined
      ? unreachable((error as NodeJS.ErrnoException).code)
      : refused(refusal);
  }
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
  if (code === 'ECONNRESET' || code === 'EPIPE') return doubts.broken();
  return doubt('its runner is not there', 'A person starts it with "interlock up".');
}

function tooLong(): Doubt {
  return doubt('the answer of its runner is too long', 'Ask for less in one step.');
}
