import type { Analyser } from './analyse.ts';
import type { Analysis, CommandRequest, FileView, Surroundings } from './types.ts';

/** One question about the file system, and what the answer was. */
interface Asked {
  readonly ask: (files: FileView) => unknown;
  readonly answer: unknown;
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
      const files = recording(surroundings.files, asked);
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

/** The same view, which writes down each question once. */
function recording(files: FileView, asked: Asked[]): FileView {
  const noting = <T>(ask: (view: FileView, path: string) => T): ((path: string) => T) => {
    const known = new Map<string, T>();
    return (path) => {
      const before = known.get(path);
      if (before !== undefined || known.has(path)) return before as T;
      const answer = ask(files, path);
      known.set(path, answer);
      asked.push({ ask: (view) => ask(view, path), answer });
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
      asked.push({ ask: (view) => view.head(path, bytes), answer });
      return answer;
    },
    ...(files.entries === undefined
      ? {}
      : { entries: noting((view, folder) => view.entries?.(folder) ?? null) }),
  };
}

function isSmall(asked: readonly Asked[]): boolean {
  let bytes = 0;
  for (const { answer } of asked)
    if (typeof answer === 'object' && answer !== null && 'length' in answer)
      bytes += Number(answer.length);
  return asked.length <= mostAsked && bytes <= mostBytes;
}

function stillHolds({ asked }: Kept, files: FileView): boolean {
  return asked.every(({ ask, answer }) => isSame(ask(files), answer));
}

/** Values without functions, as far as they count: lists and records by what they hold. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return false;
  if (one instanceof Uint8Array || other instanceof Uint8Array)
    return (
      one instanceof Uint8Array &&
      other instanceof Uint8Array &&
      one.length === other.length &&
      one.every((byte, at) => byte === other[at])
    );
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
