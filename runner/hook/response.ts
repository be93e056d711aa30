import type { HookAnswer } from '../../shared/adapters/types.ts';
import { refusalCodes } from '../../shared/refusal/codes.ts';
import { doubt, refused } from './doubt.ts';
import type { Doubt } from './doubt.ts';

const headEnd = '\r\n\r\n';

/**
 * How many bytes the whole response has, from its beginning; null while its head is not complete.
 * Throws a `Doubt` for what is no HTTP/1.1 response with one `content-length`.
 */
export function sizeOf(beginning: Buffer): number | null {
  const end = beginning.indexOf(headEnd);
  if (end < 0) return null;
  const head = beginning.toString('latin1', 0, end);
  const lengths = [...head.matchAll(/\r\ncontent-length: *(\d{1,9}) *(?=\r\n|$)/gi)];
  const [length] = lengths;
  if (!/^HTTP\/1\.1 \d{3} /.test(head) || length === undefined || lengths.length > 1)
    throw foreign();
  return end + headEnd.length + Number(length[1]);
}

/** The body of a response that is there as a whole. */
export function bodyOf(response: Buffer): string {
  return response.toString('utf8', response.indexOf(headEnd) + headEnd.length);
}

/**
 * What the gate wants the host to be told. Throws a `Doubt` with the gate's own words where it
 * refused, and for everything that is not an answer. Checked by hand: a schema compiler would take
 * longer to load than the whole hook.
 */
export function answerOf(body: string): HookAnswer {
  const said = fieldsOf(parse(body));
  if (said['ok'] === false) throw refusalOf(fieldsOf(said['refusal']));
  const { stdout, stderr, exitCode } = fieldsOf(said['answer']);
  if (said['ok'] !== true || typeof stdout !== 'string' || typeof stderr !== 'string')
    throw foreign();
  if (typeof exitCode !== 'number' || !Number.isInteger(exitCode)) throw foreign();
  if (exitCode < 0 || exitCode > 255) throw foreign();
  return { stdout, stderr, exitCode };
}

function refusalOf({ code, message, hint }: Readonly<Record<string, unknown>>): Doubt {
  const known = refusalCodes.find((one) => one === code);
  if (known === undefined || typeof message !== 'string' || typeof hint !== 'string')
    return foreign();
  return refused({ code: known, message, hint });
}

function foreign(): Doubt {
  return doubt(
    'what answered on the socket does not speak its language',
    'Runner and hook may be of different versions: restart with "interlock up".',
  );
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
