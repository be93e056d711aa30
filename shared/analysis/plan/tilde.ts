import { opaque } from '../parse/opaque.ts';
import type { Chunk, Lookup } from './chunks.ts';

/** Replaces a leading `~`. Other people's homes, `~+` and `~-` are not known. */
export function expandTilde(chunks: readonly Chunk[], lookup: Lookup): readonly Chunk[] {
  const [first, second] = chunks;
  if (first?.kind !== 'text' || first.quoted || !first.text.startsWith('~')) return chunks;
  const rest = first.text.slice(1);
  const home = lookup('HOME');
  const whole = rest === '' ? second === undefined : rest.startsWith('/');
  if (!whole || typeof home !== 'string' || home === '')
    throw opaque('tilde', 'A `~` stands for a directory that is not known.');
  const expanded: Chunk[] = [{ kind: 'text', text: home, quoted: true }];
  if (rest !== '') expanded.push({ kind: 'text', text: rest, quoted: false });
  return [...expanded, ...chunks.slice(1)];
}

/**
 * Bash also expands a `~` behind `=` or `:` in an argument that looks like an assignment; dash does
 * not. Such words are opaque.
 */
export function refuseInnerTilde(chunks: readonly Chunk[]): void {
  const [first] = chunks;
  if (first?.kind === 'text' && !first.quoted && first.text.startsWith('-')) return;
  let equals = false;
  for (const chunk of chunks) {
    if (chunk.kind !== 'text') continue;
    const begins = equals && chunk.text.startsWith('~');
    equals ||= chunk.text.includes('=');
    if (!chunk.quoted && equals && (begins || /[=:]~/.test(chunk.text))) throw inner();
  }
}

function inner(): Error {
  return opaque('tilde', 'A `~` inside a word means different things to different shells.');
}
