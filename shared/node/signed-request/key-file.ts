import { readPrivateFile } from '../files/private-file.ts';
import { refuse } from '../../refusal/refusal.ts';

const keyBytes = 32;
const maxBytes = 256;

/**
 * An agent's key from its file: 32 bytes, base64url, one line, 0600. Null when there is no file.
 * Throws `config-invalid` for one that others can use or that holds something else; the key itself
 * is never part of the sentence.
 */
export function readKeyFile(path: string, uid: number): Uint8Array | null {
  const file = readPrivateFile(path, { uid, maxBytes });
  if (file.kind === 'missing') return null;
  if (file.kind === 'unsafe') throw unusable(path, file.why);
  const text = file.text.trim();
  const key = Buffer.from(text, 'base64url');
  if (key.length !== keyBytes || key.toString('base64url') !== text)
    throw unusable(path, 'does not hold a key');
  return key;
}

function unusable(path: string, why: string): Error {
  return refuse(
    'config-invalid',
    `The key file ${path} ${why}.`,
    'It must belong to you with mode 600, as "interlock agents add" or "rekey" writes it.',
  );
}
