import { opaque } from '../parse/opaque.ts';
import type { Chunk } from './chunks.ts';

/** At most this many words come out of one word. */
export const mostWords = 256;

/** Longest word with a brace list that is expanded. */
const longestList = 1024;

/** One character of unquoted text, or a chunk that braces pass over whole. */
type Atom = string | Chunk;

/** Whether unquoted text could hold a brace list. */
export function hasBraces(chunks: readonly Chunk[]): boolean {
  let depth = 0;
  let special = false;
  for (const chunk of chunks) {
    if (chunk.kind !== 'text' || chunk.quoted) continue;
    for (let at = 0; at < chunk.text.length; at++) {
      const c = chunk.text[at];
      if (c === '{') depth++;
      else if (depth > 0 && (c === ',' || (c === '.' && chunk.text[at + 1] === '.')))
        special = true;
    }
  }
  return depth > 0 && special;
}

/**
 * Bash's brace lists, `a{b,c}d` and `{1..3}`, in bash's order. Lists must be balanced; whatever is
 * less regular is opaque, since shells read it in different ways.
 */
export function expandBraces(chunks: readonly Chunk[]): readonly (readonly Chunk[])[] {
  const atoms: Atom[] = chunks.flatMap((chunk): Atom[] =>
    chunk.kind === 'text' && !chunk.quoted ? chunk.text.split('') : [chunk],
  );
  if (atoms.length > longestList)
    throw opaque('brace-expansion', 'A word with a brace list is too long.');
  const reader = { atoms, at: 0, depth: 0 };
  const words = readSequence(reader);
  if (reader.at < atoms.length) throw uneven();
  return words.map(join);
}

interface Reader {
  readonly atoms: readonly Atom[];
  at: number;
  depth: number;
}

function uneven(): Error {
  return opaque('brace-expansion', 'A brace list is not balanced.');
}

/** Reads up to a `,` or `}` of the enclosing list; gives every word that it stands for. */
function readSequence(reader: Reader): Atom[][] {
  let words: Atom[][] = [[]];
  for (;;) {
    const atom = reader.atoms[reader.at];
    if (atom === undefined || atom === '}' || (atom === ',' && reader.depth > 0)) return words;
    reader.at++;
    const tails = atom === '{' ? readList(reader) : [[atom]];
    if (words.length * tails.length > mostWords)
      throw opaque('brace-expansion', `A brace list stands for more than ${mostWords} words.`);
    const [only] = tails;
    if (tails.length === 1 && only !== undefined) for (const word of words) word.push(...only);
    else words = words.flatMap((head) => tails.map((tail) => [...head, ...tail]));
  }
}

function readList(reader: Reader): Atom[][] {
  if (++reader.depth > 8) throw opaque('brace-expansion', 'Brace lists are nested too deeply.');
  const start = reader.at;
  const items: Atom[][][] = [];
  for (;;) {
    items.push(readSequence(reader));
    const atom = reader.atoms[reader.at++];
    if (atom === undefined) throw uneven();
    if (atom === '}') break;
  }
  reader.depth--;
  if (items.length > 1) return items.flat();
  const inner = reader.atoms.slice(start, reader.at - 1);
  if (inner.length === 0) return [['{', '}']];
  return readRange(inner) ?? [['{', ...inner, '}']];
}

const range =
  /^(?:(-?[1-9][0-9]{0,5}|0)\.\.(-?[1-9][0-9]{0,5}|0)|([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))$/;

/** `1..5` or `a..e`, up or down; null when the braces hold no range. */
function readRange(inner: readonly Atom[]): Atom[][] | null {
  const text = inner.map((atom) => (typeof atom === 'string' ? atom : '\0')).join('');
  const match = range.exec(text);
  if (match === null) {
    if (/[{}]|\.\./.test(text)) throw opaque('brace-expansion', 'A brace range is unusual.');
    return null;
  }
  const [, from, to, ...letters] = match;
  const [first, last] = letters.filter((letter) => letter !== undefined);
  const numeric = from !== undefined && to !== undefined;
  const start = numeric ? Number(from) : (first ?? '').charCodeAt(0);
  const end = numeric ? Number(to) : (last ?? '').charCodeAt(0);
  const count = Math.abs(end - start) + 1;
  if (count > mostWords)
    throw opaque('brace-expansion', `A brace list stands for more than ${mostWords} words.`);
  const step = end < start ? -1 : 1;
  return Array.from({ length: count }, (_, index) => {
    const value = start + index * step;
    return (numeric ? String(value) : String.fromCharCode(value)).split('');
  });
}

function join(atoms: readonly Atom[]): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let run = '';
  for (const atom of atoms) {
    if (typeof atom === 'string') run += atom;
    else {
      if (run !== '') chunks.push({ kind: 'text', text: run, quoted: false });
      run = '';
      chunks.push(atom);
    }
  }
  if (run !== '') chunks.push({ kind: 'text', text: run, quoted: false });
  return chunks;
}
