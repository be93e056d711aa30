import { Command } from 'commander';
import { openHome } from '../../../shared/home/index.ts';
import { hasPassphrase, requirePassphrase } from '../../../shared/operations/index.ts';
import { requirePersonHere } from '../presence.ts';
import { choosePassphrase } from '../presence.ts';
import { readHidden } from '../presence.ts';
import { sayWait } from '../presence.ts';
import type { CommandModule } from '../command-table.ts';
import { say } from '../io.ts';

/** `interlock passphrase`: sets or changes what unlocks. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('passphrase')
    .description('Sets the passphrase that unlocks after a lockout; asks for the old one first.')
    .addHelpText('after', '\nExample:\n  interlock passphrase\n\nWorks only at a terminal.')
    .action(async () => {
      const home = openHome(io.env, { asOwner: true });
      const { uid } = home;
      requirePersonHere(io, home);
      const file = { path: home.passphrase, uid };
      if (hasPassphrase(file)) {
        const old = await readHidden(io, 'Present passphrase: ');
        const by = 'person at a terminal';
        await requirePassphrase(old, { paths: home, uid, now: io.now, by, onWait: sayWait(io) });
      }
      await choosePassphrase(io, file);
      say(io.stdout, 'The passphrase is set.');
      done(0);
    });
