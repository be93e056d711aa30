import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import { RefusalError, refuse } from '../base/index.ts';
import type { Clock, Refusal } from '../base/index.ts';
import { parsePolicy, serialisePolicy } from '../engine/index.ts';
import type { Engine, PolicyDocument, PolicyPatch } from '../engine/index.ts';
import { systemClock } from './clock.ts';
import { withFileLock } from './file-lock.ts';
import { hashOfText, readCheckedFile, readPrivateFile, writeFileAtomic } from './files.ts';

/** The policy file as it stands on disk. */
export type PolicyFile =
  | {
      readonly ok: true;
      readonly document: PolicyDocument;
      /** sha256 (hex) of the raw text; the `baseHash` of a write. */
      readonly hash: string;
    }
  | {
      readonly ok: false;
      /** `config-invalid`: everything is denied while this holds. */
      readonly problem: Refusal;
      /** Null when the file is missing or may not be read. */
      readonly hash: string | null;
      readonly missing: boolean;
    };

/** More is no policy that a person wrote; 10,000 rules take about 3 MB. */
export const maxPolicyBytes = 8 * 1024 * 1024;

/** Where the last valid policy is kept, for a person to go back to. The runner never loads it. */
function lastGoodPath(path: string): string {
  return `${path}.last-good`;
}

/** Keeps a copy of a valid policy beside it. A full or read-only disk is no reason to refuse. */
function keepLastGood(path: string, text: string, options: { readonly uid: number }): void {
  const copy = readPrivateFile(lastGoodPath(path), { uid: options.uid, maxBytes: maxPolicyBytes });
  if (copy.kind === 'text' && copy.text === text) return;
  try {
    writeFileAtomic(lastGoodPath(path), text);
  } catch {
    // The copy is a convenience; the policy itself was read and is valid.
  }
}

export interface ReadOptions {
  /** Who must own the file: the runner's own user. */
  readonly uid: number;
  /** False for a file that is only looked at (`--policy FILE`): no last good copy is kept. */
  readonly keepLastGood?: boolean;
}

/**
 * Reads and checks the policy file. A valid one is copied to `<path>.last-good`; an invalid one is
 * left exactly as it is. Never throws.
 */
export function readPolicyFile(path: string, options: ReadOptions): PolicyFile {
  const file = readCheckedFile(path, { uid: options.uid, maxBytes: maxPolicyBytes, parse });
  if (!file.ok) return file;
  if (options.keepLastGood !== false) keepLastGood(path, file.text, options);
  return { ok: true, document: file.value, hash: file.hash };
}

function parse(
  text: string,
):
  | { readonly ok: true; readonly value: PolicyDocument }
  | { readonly ok: false; readonly problem: Refusal } {
  const parsed = parsePolicy(text);
  return parsed.ok ? { ok: true, value: parsed.document } : parsed;
}

export interface WriteOptions {
  readonly uid: number;
  /** Hash of the text that was read, or null to create a file that does not exist. */
  readonly baseHash: string | null;
}

/**
 * Compare-and-swap under a lock that all writers of this file share. Hands back the new hash. Throws
 * a refusal when the file is not the one that was read (`binding-drift`), when the file on disk is
 * invalid and so must not be overwritten, or when the new document would not load again
 * (`config-invalid`).
 */
export async function writePolicyFile(
  path: string,
  document: PolicyDocument,
  options: WriteOptions,
): Promise<{ readonly hash: string }> {
  const text = loadableText(document);
  return await withFileLock(`${path}.lock`, () => {
    expectUnchanged(path, options);
    writeFileAtomic(path, text);
    keepLastGood(path, text, options);
    return { hash: hashOfText(text) };
  });
}

function loadableText(document: PolicyDocument): string {
  const text = serialisePolicy(document);
  const parsed = parsePolicy(text);
  if (!parsed.ok) throw new RefusalError(parsed.problem);
  if (Buffer.byteLength(text) <= maxPolicyBytes) return text;
  throw refuse(
    'config-invalid',
    `The policy would be larger than ${maxPolicyBytes} bytes.`,
    'Remove rules that are never used.',
  );
}

function expectUnchanged(path: string, { uid, baseHash }: WriteOptions): void {
  const current = readPolicyFile(path, { uid, keepLastGood: false });
  if (!current.ok && !current.missing) throw new RefusalError(current.problem);
  const currentHash = current.ok ? current.hash : null;
  if (currentHash === baseHash) return;
  throw refuse(
    'binding-drift',
    `${path} has changed since it was read.`,
    'Read it again, look at what changed, and make the change once more.',
  );
}

/** What came of an edit of the policy file. */
export type PolicyFileEdit =
  | { readonly kind: 'saved'; readonly hash: string; readonly document: PolicyDocument }
  /** It was made from another file than there is now: that one is told, and nothing was written. */
  | { readonly kind: 'conflict'; readonly current: PolicyFile }
  /** It does not pass the engine's checks; `doubts` where it can merely hardly be meant. */
  | {
      readonly kind: 'refused';
      readonly problem: Refusal;
      readonly doubts?: readonly string[];
    };

/**
 * Writes patches over the version of the policy that they were made from (`baseHash`), once they pass
 * the engine's checks. Rejects where the file cannot be written; what stood there stands then.
 */
export async function editPolicyFile(
  {
    path,
    uid,
    engine,
  }: { readonly path: string; readonly uid: number; readonly engine: Pick<Engine, 'edit'> },
  {
    baseHash,
    patches,
    accepted,
  }: {
    readonly baseHash: string;
    readonly patches: readonly PolicyPatch[];
    /** Also with rules that can hardly be meant. */
    readonly accepted: boolean;
  },
): Promise<PolicyFileEdit> {
  const current = readPolicyFile(path, { uid });
  if (current.hash !== baseHash) return { kind: 'conflict', current };
  if (!current.ok) {
    const { refusal } = refuse(
      'config-invalid',
      'The policy file is not valid, so an edit of it cannot be saved.',
      'Mend the file by hand or from the last good copy beside it.',
    );
    return { kind: 'refused', problem: refusal };
  }
  const changes = patches.map((patch) => ({ change: 'patch', patch }) as const);
  const edited = await engine.edit(current.document, changes, { accepted });
  if (!edited.ok) {
    const { problem, doubts } = edited;
    return { kind: 'refused', problem, ...(doubts !== undefined && { doubts }) };
  }
  try {
    const { hash } = await writePolicyFile(path, edited.document, { uid, baseHash });
    return { kind: 'saved', hash, document: edited.document };
  } catch (error) {
    const now = readPolicyFile(path, { uid });
    if (now.hash !== baseHash) return { kind: 'conflict', current: now };
    throw error;
  }
}

interface WatchOptions {
  readonly uid: number;
  /** Called with the first state before `watchPolicyFile` returns, then at each change. */
  readonly onChange: (file: PolicyFile) => void;
  readonly clock?: Clock;
  /** Time between looks that need no event, in milliseconds; 5,000 when absent. */
  readonly pollMs?: number;
}

/** Watches the policy file until the returned function is called. */
export function watchPolicyFile(path: string, options: WatchOptions): () => void {
  let last: string | null = null;
  return watchFile(path, {
    ...options,
    look() {
      const file = readPolicyFile(path, { uid: options.uid });
      const state = JSON.stringify(file.ok ? file.hash : [file.hash, file.problem.message]);
      if (state === last) return;
      last = state;
      options.onChange(file);
    },
  });
}

interface LookOptions {
  /** Called at once, at each event and at each poll; it finds out by itself whether anything changed. */
  readonly look: () => void;
  readonly clock?: Clock;
  readonly pollMs?: number;
}

/**
 * Calls `look` whenever something may have happened to `path`. The watch is on the directory, since a
 * rename replaces the file; the slow poll covers file systems that tell nothing, and makes the watch
 * anew when the directory itself was replaced.
 */
export function watchFile(path: string, options: LookOptions): () => void {
  const clock = options.clock ?? systemClock;
  const pollMs = options.pollMs ?? 5_000;
  const name = basename(path);
  let watcher: FSWatcher | null = null;
  let cancelPoll = poll();

  function onEvent(_: string, changed: string | null): void {
    if (changed === null || changed === name) options.look();
  }

  function drop(): void {
    watcher?.close();
    watcher = null;
  }

  function start(): void {
    try {
      watcher ??= watch(dirname(path), { persistent: false }, onEvent).on('error', drop);
    } catch {
      // The directory is not there yet; the next poll tries again.
    }
  }

  function poll(): () => void {
    return clock.after(pollMs, () => {
      cancelPoll = poll();
      start();
      options.look();
    });
  }

  const stop = (): void => {
    cancelPoll();
    drop();
  };
  start();
  try {
    options.look();
  } catch (error) {
    stop();
    throw error;
  }
  return stop;
}
