import { refuse } from '../../../shared/base/index.ts';
import type { Clock, Refusal } from '../../../shared/base/index.ts';
import type { SharedFolder, SharedPart } from '../../../shared/home/index.ts';
import {
  descriptorText,
  isSignedDescriptor,
  readDescriptorText,
  signDescriptor,
} from '../../../shared/ipc/index.ts';
import { maxAnswerFileBytes } from '../../../shared/wire/index.ts';
import type { AnswerFile, Descriptor } from '../../../shared/wire/index.ts';
import type { GateResult } from '../../gate/request-context.ts';
import type { Log } from '../../service/log.ts';
import { idOf } from './request.ts';

/** To whom an answer goes. */
type Asker = Pick<Descriptor, 'id' | 'nonce' | 'principal'>;

/** Who asks in a file that was not understood. */
export function nobodyKnown(id: string): Asker {
  return { id, nonce: '0', principal: 'unknown' };
}

type Unsigned = Omit<AnswerFile, 'hmac'>;

/** How a request ended, as its file says it. */
export function answerOf(asker: Asker, result: GateResult, now: number): Unsigned {
  if (!result.ok) return refusedAnswer(asker, result.refusal, now);
  const { outcome, output, durationMs } = result;
  const { stdout, stderr, truncated } = output;
  return {
    ...refusedAnswer(asker, null, now),
    ok: true,
    exit_code: outcome.exitCode,
    signal: outcome.signal,
    stdout: wellFormed(stdout),
    stderr: wellFormed(stderr),
    truncated,
    duration_ms: Math.round(durationMs),
  };
}

/** Nothing came of it, and why. */
export function refusedAnswer(
  { id, nonce, principal }: Asker,
  refusal: Refusal | null,
  now: number,
): Unsigned {
  return {
    id,
    created_at: new Date(now).toISOString(),
    nonce,
    principal,
    ok: false,
    exit_code: null,
    signal: null,
    stdout: '',
    stderr: '',
    truncated: false,
    duration_ms: null,
    refusal:
      refusal === null
        ? null
        : {
            code: refusal.code,
            message: wellFormed(refusal.message),
            hint: wellFormed(refusal.hint),
          },
  };
}

/** Halves of characters have no form in UTF-8, so that their signature would not be that of the file. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\uFFFD');
}

interface AnswersOptions {
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  /** How long an answer stays, in milliseconds. */
  readonly keepMs: () => number;
}

/** Writes answers, keeps at it while a disk is full, and takes old ones away. */
export interface Answers {
  /** Resolves once it is there, or was given up. Never rejects. */
  write(folder: SharedFolder, answer: Unsigned, key: Uint8Array | null): Promise<void>;
  /** Whether there is an answer of ours to this already. */
  has(folder: SharedFolder, asker: Asker, key: Uint8Array): boolean;
  /** Removes answers and teardowns that are old; at most a few thousand at once. */
  clean(folder: SharedFolder): void;
  /** Gives up what could not be written so far. */
  dispose(): void;
}

const retryMs = 1_000;
const mostTries = 300;
const mostLooked = 20_000;
/** More than these are too many to wait for their time. */
const mostKept = 4_096;

/** Answers over the clock that is passed in. */
export function createAnswers({ clock, log, keepMs }: AnswersOptions): Answers {
  const giveUp = new Set<() => void>();
  let closed = false;
  const pause = async (): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        giveUp.delete(done);
        cancel();
        resolve();
      };
      const cancel = clock.after(retryMs, done);
      giveUp.add(done);
    });
  const write = async (folder: SharedFolder, name: string, text: string): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      try {
        await folder.write('responses', name, text);
        return;
      } catch (error) {
        const { code = 'unknown' } = error as NodeJS.ErrnoException;
        if (tries === 1) log.warn(`An answer in ${folder.path} could not be written (${code}).`);
        if (closed || tries >= mostTries) return;
      }
      await pause();
    }
  };
  return {
    write: async (folder, answer, key) => {
      const signed = key === null ? { ...answer, hmac: null } : signDescriptor(key, answer);
      const release = folder.hold();
      try {
        await write(folder, `${answer.id}.yaml`, descriptorText(signed));
      } finally {
        release();
      }
    },
    has: (folder, { id, nonce }, key) => {
      const file = folder.read('responses', `${id}.yaml`, maxAnswerFileBytes);
      const body = file.kind === 'text' ? readDescriptorText(file.text) : null;
      return body !== null && body['nonce'] === nonce && isSignedDescriptor(key, body);
    },
    clean: (folder) => {
      for (const part of ['responses', 'teardowns'] as const)
        cleanPart(folder, part, clock.now() - keepMs());
    },
    dispose: () => {
      closed = true;
      for (const done of giveUp) done();
    },
  };
}

/** Only names of ours, only regular files; a name that is something else stays where it is. */
function cleanPart(folder: SharedFolder, part: SharedPart, before: number): void {
  const names = folder.names(part, mostLooked).filter((name) => idOf(name) !== null);
  const left: { readonly name: string; readonly at: number }[] = [];
  for (const name of names) {
    const at = folder.modifiedAt(part, name);
    if (at === null) continue;
    if (at < before) folder.remove(part, name);
    else left.push({ name, at });
  }
  const tooMany = left.length - mostKept;
  if (tooMany <= 0) return;
  for (const { name } of left.toSorted((one, other) => one.at - other.at).slice(0, tooMany))
    folder.remove(part, name);
}

/** Whether it ran cannot be said from here. */
export function staleRefusal(): Refusal {
  return refuse(
    'stale-on-recovery',
    'The runner was started anew while this was under way. Whether it ran is in its record; it is not run again.',
    'Look at what it would have changed, then ask again if it is still needed.',
  ).refusal;
}
