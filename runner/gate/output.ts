import { truncationMark } from '../../shared/wire/index.ts';

/** What is kept of a command's output. */
export interface Captured {
  /** Standard output and error, each from its start, together within the cap. */
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  /** The end of both as they came, for events. */
  readonly tail: string;
}

interface Capture {
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

/** Bytes of one output stream as text, with the bytes of a character never torn apart. */
interface Pieces {
  /** What can be told of the stream so far; null while a character is incomplete. */
  push(bytes: Uint8Array): Piece | null;
  /** The rest at the end of the stream. */
  end(): Piece | null;
}

export interface Piece {
  readonly data: string;
  /** `base64` where the bytes are not valid UTF-8. */
  readonly encoding: 'utf8' | 'base64';
}

/** Cuts one stream into pieces. */
export function createPieces(): Pieces {
  let rest: Buffer = Buffer.alloc(0);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const piece = (bytes: Buffer): Piece | null => {
    if (bytes.length === 0) return null;
    try {
      return { data: decoder.decode(bytes), encoding: 'utf8' };
    } catch {
      return { data: bytes.toString('base64'), encoding: 'base64' };
    }
  };
  return {
    push: (bytes) => {
      const all = rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([rest, bytes]);
      const whole = all.length - incompleteAtEnd(all);
      rest = all.subarray(whole);
      return piece(all.subarray(0, whole));
    },
    end: () => {
      const last = piece(rest);
      rest = Buffer.alloc(0);
      return last;
    },
  };
}

/** How many bytes at the end begin a character that is not all there yet; 0 to 3. */
function incompleteAtEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80 || byte >= 0xf8) return 0;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? back : 0;
  }
  return 0;
}
