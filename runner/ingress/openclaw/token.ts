import { readPrivateFile } from '../../../shared/node/files/private-file.ts';
import { refuse } from '../../../shared/refusal/refusal.ts';

/** The Gateway's token from its file: one line, 0600, ours. What it holds is part of no sentence. */
export function readGatewayToken(path: string, uid: number): string {
  const file = readPrivateFile(path, { uid, maxBytes: 4096 });
  if (file.kind === 'missing') throw unusable(path, 'does not exist');
  if (file.kind === 'unsafe') throw unusable(path, file.why);
  const token = file.text.trim();
  if (!/^[\x21-\x7e]{8,}$/.test(token)) throw unusable(path, 'does not hold a token on one line');
  return token;
}

function unusable(path: string, why: string): Error {
  return refuse(
    'config-invalid',
    `The token file ${path} ${why}.`,
    'Put the token of the Gateway into it, on one line, and run: chmod 600 FILE.',
  );
}
