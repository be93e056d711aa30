import { truncationMark } from '../../shared/api/limits.ts';

/** What is kept of a command's output. */
export interface Captured {
  /** Standard output and error, each from its start, together within the cap. */
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  /** The end of both as they came, for events. */
  readonly tail: string;
}

export interface Capture {
  add(stream: 'stdout' | 'stderr', text: string): void;
  result(): Captured;
}

/** Keeps the first `cap` and the last `tailCap` UTF-16 units of all that comes. */
export function createCapture(cap: number, tailCap: number): Capture {
  const heads = { stdout: '', stderr: '' };
  const cut = { stdout: false, stderr: false };
  let room = cap;
  let tail = '';
  let tailCut = false;
  return {
    add: (stream, text) => {
      const fits = text.slice(0, room);
      heads[stream] += fits;
      room -= fits.length;
      if (fits.length < text.length) cut[stream] = true;
      tail += text;
      // Cut late, so that many small pieces are not copied over and over.
      if (tail.length > 2 * tailCap) {
        tail = tail.slice(-tailCap);
        tailCut = true;
      }
    },
    result: () => ({
      stdout: marked(heads.stdout, cut.stdout),
      stderr: marked(heads.stderr, cut.stderr),
      truncated: cut.stdout || cut.stderr,
      tail: tailCut || tail.length > tailCap ? `${truncationMark} ${tail.slice(-tailCap)}` : tail,
    }),
  };
}

function marked(text: string, cut: boolean): string {
  return cut ? `${text}${truncationMark}` : text;
}
