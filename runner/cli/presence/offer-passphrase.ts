import { randomBytes } from 'node:crypto';
import type { HomePaths } from '../../../shared/node/home/paths.ts';
import { hasPassphrase, setPassphrase } from '../../../shared/node/presence/passphrase.ts';
import { say } from '../io.ts';
import type { Io } from '../io.ts';
import { readHidden } from './read-hidden.ts';

/** Lets a person at a terminal set the passphrase now; an empty line leaves it for later. */
export async function offerPassphrase(io: Io, paths: HomePaths): Promise<void> {
  if (io.stdin.isTTY !== true || io.stdout.isTTY !== true) return;
  const file = { path: paths.passphrase, uid: process.geteuid?.() ?? -1 };
  if (hasPassphrase(file)) return;
  say(io.stdout, 'A passphrase unlocks Interlock after a lockout.');
  const first = await readHidden(io, 'New passphrase (Enter to set it later): ');
  if (first === '') {
    say(io.stdout, 'Set it later with "interlock passphrase".');
    return;
  }
  if ((await readHidden(io, 'The same once more: ')) !== first) {
    say(io.stdout, 'The two were not the same; set it later with "interlock passphrase".');
    return;
  }
  await setPassphrase(first, { ...file, random: randomBytes });
  say(io.stdout, 'The passphrase is set.');
}
