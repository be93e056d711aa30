import type { Analyser } from './analyse.ts';
import type { Analysis, CommandRequest, FileView, Surroundings } from './types.ts';

/** One question about the file system that was answered. */
interface Asked {
  /** Whether the answer is the same now. */
  readonly holds: (files: FileView) => boolean;
  /** What keeping the answer takes, roughly. */
  readonly bytes: number;
}

interface Kept {
  readonly surroundings: Surroundings;
  readonly asked: readonly Asked[];
  readonly analysis: Analysis;
}

/** So many commands are kept, the ones that were asked for last. */
const mostKept = 256;
/** What takes more looks, or longer ones, is analysed each time. */
const mostAsked = 400;
const mostBytes = 16 * 1024;
const longestKey = 4096;
/** Of files that are longer than this one text each is kept, for all commands that saw it. */
const longestOwn = 4096;
const longestShared = 512 * 1024;
const mostShared = 16;

/**
 * An analyser that keeps what it made of the last commands, with all that it asked of the file
 * system. An analysis depends on the request, the surroundings and those answers alone. So it holds
 * while the same questions, asked anew each time, have the same answers: nothing is believed for a
 * while, and a file that came, went or changed means that the command is analysed as if for the
 * first time. The order of the questions does not matter: as long as all answers are the same, the
 * analysis would ask no other ones.
 */
export function remembering(analyser: Analyser): Analyser {
  const kept = new Map<string, Kept>();
  const texts = sharedTexts();
  // What was seen for another question may be known already, and would not be asked again.
  const used = new WeakSet<Surroundings>();
  return {
    analyse(request, surroundings) {
      const key = keyOf(request);
      if (key === null || used.has(surroundings)) return analyser.analyse(request, surroundings);
      used.add(surroundings);
      const before = kept.get(key);
      if (before !== undefined) {
        kept.delete(key);
        if (isSame(before.surroundings, surroundings) && stillHolds(before, surroundings.files)) {
          kept.set(key, before);
          return { ...before.analysis };
        }
      }
      const asked: Asked[] = [];
      const files = recording(surroundings.files, asked, texts);
      // Objects of its own: what is known of others by their identity would hide questions.
      const analysis = analyser.analyse({ ...request }, { ...surroundings, files });
      if (isSmall(asked)) {
        const [oldest] = kept.keys();
        if (kept.size >= mostKept && oldest !== undefined) kept.delete(oldest);
        kept.set(key, { surroundings: { ...surroundings, files: nowhere }, asked, analysis });
      }
      return { ...analysis };
    },
  };
}

function keyOf({ argv, command, cwd, env }: CommandRequest): string | null {
  const key = JSON.stringify([argv ?? null, command ?? null, cwd, Object.entries(env ?? {})]);
  return key.length > longestKey ? null : key;
}

/** No look is kept with the file system that it was taken of. */
const nowhere: FileView = {
  realPath: () => null,
  facts: () => null,
  head: () => null,
  isLink: () => false,
  readLink: () => null,
};

/** A long text of a file; null once another one was seen there. */
interface SharedText {
  bytes: Uint8Array | null;
}

type SharedTexts = (path: string, bytes: Uint8Array) => SharedText;

/** The index of a repository is long, and many commands depend on it: it is there once, as seen last. */
function sharedTexts(): SharedTexts {
  const known = new Map<string, SharedText>();
  return (path, bytes) => {
    const before = known.get(path);
    if (before !== undefined && isSame(before.bytes, bytes)) return before;
    const [oldest] = known.keys();
    const gone = before === undefined && known.size >= mostShared ? oldest : path;
    if (gone !== undefined) {
      const old = known.get(gone);
      if (old !== undefined) old.bytes = null;
      known.delete(gone);
    }
    // Of its own: what it was read into may be far longer.
    const text = { bytes: bytes.slice() };
    known.set(path, text);
    return text;
  };
}

/** The same view, which writes down each question once. */
function recording(files: FileView, asked: Asked[], texts: SharedTexts): FileView {
  const noting = <T>(ask: (view: FileView, path: string) => T): ((path: string) => T) => {
    const known = new Map<string, T>();
    return (path) => {
      const before = known.get(path);
      if (before !== undefined || known.has(path)) return before as T;
      const answer = ask(files, path);
      known.set(path, answer);
      asked.push({ holds: (view) => isSame(ask(view, path), answer), bytes: sizeOf(answer) });
      return answer;
    };
  };
  return {
    realPath: noting((view, path) => view.realPath(path)),
    facts: noting((view, path) => view.facts(path)),
    isLink: noting((view, path) => view.isLink(path)),
    readLink: noting((view, path) => view.readLink(path)),
    head(path, bytes) {
      const answer = files.head(path, bytes);
      asked.push(headAsked(path, bytes, answer, texts));
      return answer;
    },
    ...(files.entries === undefined
      ? {}
      : { entries: noting((view, folder) => view.entries?.(folder) ?? null) }),
  };
}

function headAsked(
  path: string,
  bytes: number,
  answer: Uint8Array | null,
  texts: SharedTexts,
): Asked {
  if (answer === null) return { holds: (view) => view.head(path, bytes) === null, bytes: 0 };
  const isShared = answer.length > longestOwn && answer.length <= longestShared;
  const text: SharedText = isShared ? texts(path, answer) : { bytes: answer.slice() };
  return {
    holds: (view) =>
      text.bytes !== null &&
      (view.isHead?.(path, bytes, text.bytes) ?? isSame(view.head(path, bytes), text.bytes)),
    bytes: isShared ? 0 : answer.length,
  };
}

function sizeOf(answer: unknown): number {
  const isList = typeof answer === 'object' && answer !== null && 'length' in answer;
  return isList ? Number(answer.length) : 0;
}

function isSmall(asked: readonly Asked[]): boolean {
  const sum = asked.reduce((total, { bytes }) => total + bytes, 0);
  return asked.length <= mostAsked && sum <= mostBytes;
}

function stillHolds({ asked }: Kept, files: FileView): boolean {
  return asked.every(({ holds }) => holds(files));
}

/** Values without functions, as far as they count: lists and records by what they hold. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return false;
  if (one instanceof Uint8Array || other instanceof Uint8Array)
    return one instanceof Uint8Array && other instanceof Uint8Array && areEqual(one, other);
  const keys = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    keys.length === Object.keys(other).length &&
    keys.every(
      (key) =>
        Object.hasOwn(other, key) &&
        (key === 'files' ||
          isSame((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key])),
    )
  );
}

/** Four bytes at a time, as far as they lie so: an index of Git has some hundred thousand. */
function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  const words = Math.floor(one.length / 4);
  const isAligned = one.byteOffset % 4 === 0 && other.byteOffset % 4 === 0;
  const inWords = isAligned ? words * 4 : 0;
  if (inWords > 0) {
    const ours = new Uint32Array(one.buffer, one.byteOffset, words);
    const others = new Uint32Array(other.buffer, other.byteOffset, words);
    for (let at = 0; at < words; at += 1) if (ours[at] !== others[at]) return false;
  }
  for (let at = inWords; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
}
