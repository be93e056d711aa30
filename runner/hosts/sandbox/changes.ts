import { appendFileSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compile, readJson, s } from '../../../shared/base/index.ts';
import type { Static } from '../../../shared/base/index.ts';
import { readPrivateFile, writeFileAtomic } from '../../../shared/home/index.ts';

const text = s.string({ maxLength: 8192 });
const changeSchema = s.object({
  /** Milliseconds; when it was seen. */
  at: s.number(),
  agent: text,
  /** The agent's own name for it; null where it gave none. */
  session: s.nullable(text),
  /** Id of the command. */
  command: text,
  workspace: text,
  path: text,
  /** Completes "PATH, which …". */
  why: text,
});

/** A file that something outside obeys or starts, and that a command in a sandbox has written. */
export type SandboxChange = Static<typeof changeSchema>;

/** Where the list stands, by the folder for layers. */
export function changesPath(layersDirectory: string): string {
  return join(dirname(layersDirectory), 'changes.jsonl');
}

const check = compile(changeSchema);
const mostBytes = 1 << 20;

/** Adds to the list at a path, of which the older half goes where it has become long. Never throws: nothing waits for the list. */
export function noteChanges(path: string, uid: number, changes: readonly SandboxChange[]): void {
  if (changes.length === 0) return;
  try {
    append(path, uid, changes);
  } catch {
    // A full disk; commands go on without it.
  }
}

function append(path: string, uid: number, changes: readonly SandboxChange[]): void {
  const lines = changes.map((one) => `${JSON.stringify(one)}\n`).join('');
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size + lines.length <= mostBytes) {
    appendFileSync(path, lines, { mode: 0o600 });
    return;
  }
  const kept = readChanges(path, uid);
  const newer = kept.slice(Math.floor(kept.length / 2)).map((one) => `${JSON.stringify(one)}\n`);
  writeFileAtomic(path, newer.join('') + lines.slice(0, mostBytes / 2));
}

/** The list, the oldest first; lines that cannot be read are left out. */
export function readChanges(path: string, uid: number): readonly SandboxChange[] {
  const file = readPrivateFile(path, { uid, maxBytes: 2 * mostBytes });
  if (file.kind !== 'text') return [];
  return file.text.split('\n').flatMap((line) => {
    const checked = readJson(check, line);
    return checked.ok ? [checked.value] : [];
  });
}

/** Each file once, as it was changed last. */
export function lastChanges(changes: readonly SandboxChange[]): readonly SandboxChange[] {
  return [...new Map(changes.map((one) => [one.path, one])).values()];
}

const mostNamed = 20;
const mostRemembered = 1_000;

/**
 * Says of a session that has ended what its commands left that acts later, in one sentence, and only
 * what was not said of it before.
 */
export function leftNotes(
  list: () => readonly SandboxChange[],
  say: (sentence: string) => void,
): (agent: string, session: string) => void {
  const told = new Map<string, number>();
  return (agent, session) => {
    const since = told.get(session) ?? -1;
    const own = list().filter((one) => one.session === session && one.at > since);
    const found = lastChanges(own);
    if (found.length === 0) return;
    told.set(session, Math.max(...own.map(({ at }) => at)));
    const [oldest] = told.size > mostRemembered ? told.keys() : [];
    if (oldest !== undefined) told.delete(oldest);
    const named = found.slice(0, mostNamed).map(({ path, why }) => `${path}, which ${why}`);
    const more = found.length - named.length;
    say(
      `The session ${session} of ${agent} is over. Its commands in the sandbox wrote what acts later: ${named.join('; ')}${more > 0 ? `; and ${more} more (interlock sandbox changes)` : ''}.`,
    );
  };
}
