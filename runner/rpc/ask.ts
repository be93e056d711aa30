import { randomBytes, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  watch,
  writeSync,
} from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { compile } from '../../shared/base/index.ts';
import type { RefusalCode } from '../../shared/base/index.ts';
import { readAtMost, withPlainFile } from '../../shared/home/index.ts';
import {
  descriptorText,
  isSignedDescriptor,
  readDescriptorText,
  signDescriptor,
} from '../../shared/ipc/index.ts';
import {
  answerFileSchema,
  maxAnswerFileBytes,
  maxDescriptorBytes,
} from '../../shared/wire/index.ts';
import type { AnswerFile, Descriptor } from '../../shared/wire/index.ts';
import { ClientError } from './place.ts';
import type { Place } from './place.ts';

/** What is asked for: a request without what each request has. */
export type Wish = Omit<Descriptor, 'id' | 'created_at' | 'nonce' | 'principal' | 'hmac'>;

interface AskOptions {
  /** How long an answer is waited for, in milliseconds. */
  readonly waitMs: number;
  /** Aborted when the person, or who started this, wants no answer any more. */
  readonly gone: AbortSignal;
}

/** Nobody answered. What was asked for may have been done. */
class NoAnswer extends ClientError {}

/** Refusals that may come without a signature: there is no key to sign with. */
const unsigned: ReadonlySet<RefusalCode> = new Set([
  'invalid-request',
  'hmac-fail',
  'lockout-active',
  'config-invalid',
] satisfies RefusalCode[]);

/**
 * Asks the host and resolves with its answer, whose signature was checked. When the time is over, or
 * `gone` is aborted, a teardown takes the request back; rejects with `NoAnswer`.
 */
export async function ask(wish: Wish, place: Place, options: AskOptions): Promise<AnswerFile> {
  const { principal, key, directory } = place;
  const head = {
    id: randomUUID(),
    created_at: new Date().toISOString(),
    nonce: randomBytes(8).readBigUInt64BE().toString(),
    principal,
  };
  const text = descriptorText(signDescriptor(key, { ...head, ...wish }));
  if (Buffer.byteLength(text) > maxDescriptorBytes)
    throw new ClientError(
      `The request is larger than ${String(maxDescriptorBytes / 1024)} KiB.`,
      'Put what is long into a file in the shared folder, and name the file.',
    );
  put(join(directory, 'requests'), head.id, text);
  const find = (): AnswerFile | null => readAnswer(place, head);
  const answer = await waitFor(find, { ...options, directory, id: head.id });
  if (answer !== null) return answer;
  const teardown = { ...head, created_at: new Date().toISOString(), teardown: true };
  put(join(directory, 'teardowns'), head.id, descriptorText(signDescriptor(key, teardown)));
  const never = new AbortController().signal;
  const last = await waitFor(find, { waitMs: lastMs, gone: never, directory, id: head.id });
  if (last !== null) return last;
  // Nobody has taken it up: so that nobody does later.
  rmSync(join(directory, 'requests', `${head.id}.yaml`), { force: true });
  throw new NoAnswer(
    `No answer came within ${String(Math.round(options.waitMs / 1_000))} s; the request was taken back.`,
    'A person sees to it, on the host: interlock rpc status',
  );
}

const lastMs = 2_000;
const checkAnswer = compile(answerFileSchema);

/** Another name first, synced, then its own. Others have to read it, and the folder says who may. */
function put(folder: string, id: string, text: string): void {
  const temporary = join(folder, `.${id}.tmp`);
  try {
    const fd = openSync(temporary, 'wx', 0o644);
    try {
      const bytes = Buffer.from(text, 'utf8');
      for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, join(folder, `${id}.yaml`));
  } catch (error) {
    rmSync(temporary, { force: true });
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new ClientError(
      `The request could not be written into ${folder} (${code}).`,
      'Nothing was asked. Look at the shared folder: it may be full, or not yours to write.',
    );
  }
}

interface WaitOptions extends AskOptions {
  readonly directory: string;
  readonly id: string;
}

const firstLookMs = 8;
const slowestLookMs = 1_000;
const firstNudgeMs = 2_000;

/** Waits for events and looks by itself, less and less often: a mount may tell of nothing. */
async function waitFor(
  find: () => AnswerFile | null,
  { waitMs, gone, directory, id }: WaitOptions,
): Promise<AnswerFile | null> {
  const answers = join(directory, 'responses');
  const until = Date.now() + waitMs;
  let wake = (): void => undefined;
  let watcher: FSWatcher | null = null;
  try {
    watcher = watch(answers, (_, name) => {
      if (name === null || name.startsWith(id)) wake();
    }).on('error', () => watcher?.close());
  } catch {
    // The looks have to do.
  }
  const stop = (): void => wake();
  gone.addEventListener('abort', stop);
  let nudgeMs = firstNudgeMs;
  let nudgeAt = Date.now() + nudgeMs;
  try {
    for (let lookMs = firstLookMs; ; lookMs = Math.min(slowestLookMs, lookMs * 2)) {
      const found = find();
      if (found !== null || gone.aborted) return found;
      const left = until - Date.now();
      if (left <= 0) return null;
      if (Date.now() >= nudgeAt) {
        nudge(join(directory, 'requests'), id);
        nudgeMs *= 2;
        nudgeAt = Date.now() + nudgeMs;
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(left, lookMs));
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  } finally {
    gone.removeEventListener('abort', stop);
    watcher?.close();
  }
}

/** Whoever is started by a change of the folder may have missed the one that was this request. */
function nudge(folder: string, id: string): void {
  if (!existsSync(join(folder, `${id}.yaml`))) return;
  const name = join(folder, `.${id}.nudge`);
  try {
    closeSync(openSync(name, 'wx', 0o600));
  } catch {
    // Full, or there already: the next one may do.
  }
  rmSync(name, { force: true });
}

/** The answer that is there; null where there is none yet, or none that can be believed. */
function readAnswer(
  { key, directory }: Pick<Place, 'key' | 'directory'>,
  { id, nonce, principal }: Pick<Descriptor, 'id' | 'nonce' | 'principal'>,
): AnswerFile | null {
  const text = readText(join(directory, 'responses', `${id}.yaml`));
  const body = text === null ? null : readDescriptorText(text);
  if (body === null) return null;
  const checked = checkAnswer(body);
  if (!checked.ok || checked.value.id !== id) return null;
  const answer = checked.value;
  if (answer.hmac === null) {
    const isNo = !answer.ok && answer.refusal !== null && unsigned.has(answer.refusal.code);
    return isNo ? answer : null;
  }
  const isOurs = answer.nonce === nonce && answer.principal === principal;
  return isOurs && isSignedDescriptor(key, body) ? answer : null;
}

function readText(path: string): string | null {
  try {
    return withPlainFile(path, (fd, { size }) =>
      size > maxAnswerFileBytes ? null : readAtMost(fd, size).toString('utf8'),
    );
  } catch {
    return null;
  }
}
