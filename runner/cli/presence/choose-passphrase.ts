import { randomBytes } from 'node:crypto';
import { setPassphrase, shortestPassphrase } from '../../../shared/node/presence/passphrase.ts';
import { CliError } from '../failure.ts';
import { say } from '../io.ts';
import type { Io } from '../io.ts';
import { readHidden } from './read-hidden.ts';

/** Has a person type a new passphrase twice, and sets it. Throws when they differ or it is short. */
export async function choosePassphrase(
  io: Io,
  file: { readonly path: string; readonly uid: number },
): Promise<void> {
  say(io.stdout, 'The passphrase is what unlocks Interlock after a lockout. It is kept nowhere.');
  const wanted = `New passphrase (at least ${String(shortestPassphrase)} characters): `;
  const first = await readHidden(io, wanted);
  const second = await readHidden(io, 'The same once more: ');
  if (first !== second)
    throw new CliError('The two were not the same; nothing was set.', 'Run it again.');
  await setPassphrase(first, { ...file, random: randomBytes });
}
