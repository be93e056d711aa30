import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { RefusalError, refusalOf } from '../../../shared/base/index.ts';
import {
  homeVersion,
  openHome,
  readHomeVersion,
  requireHomeVersion,
  rollbackHome,
  upgradeHome,
} from '../../../shared/home/index.ts';
import type { Home, VersionChange } from '../../../shared/home/index.ts';
import { versionOf } from '../command-line.ts';
import { CliError } from '../failure.ts';
import type { CommandModule } from '../command-table.ts';
import { exitCodes, say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';
import { requireNoAgentsCommand } from '../presence.ts';

/** `interlock home`: which version the home has, to the one of this program, and back. */
export const declare: CommandModule['declare'] = (io, done) => {
  const home = new Command('home').description(
    'The version of INTERLOCK_HOME. A runner that starts brings an older home on by itself, after a backup; a newer one it does not touch.',
  );
  home
    .command('status')
    .summary('show the version of the home')
    .description(
      'Shows the version of the home. Exits with 1 where it differs from what this program expects.',
    )
    .option('--json', 'the same as JSON')
    .addHelpText('after', '\nExample:\n  interlock home status')
    .action(({ json }: { readonly json?: boolean }) => {
      const place = openPlace(io);
      const found = readHomeVersion(place);
      const isWell = found.state === 'current';
      if (json === true)
        sayJson(io.stdout, { ok: isWell, home: place.home, known: homeVersion, ...found });
      else for (const line of sentencesOf(place)) say(io.stdout, line);
      done(isWell ? exitCodes.ok : 1);
    });
  home
    .command('upgrade')
    .summary('bring the home to the version of this program')
    .description(
      'Brings the home to the version of this program, after a backup of what changes. An upgrade that was interrupted starts again from the beginning.',
    )
    .addHelpText('after', '\nExample:\n  interlock home upgrade')
    .action(async () => {
      const place = openPlace(io);
      const change = await alone(place, async () => upgradeHome(changeOf(place, io)));
      if (change === null)
        say(io.stdout, `${place.home} has version ${String(homeVersion)} already.`);
      else told(io, change);
      done(exitCodes.ok);
    });
  home
    .command('rollback')
    .summary('undo the last upgrade of the home')
    .description(
      'Restores what the last upgrade of the home changed, for an older program, and keeps the present files beside it. Edits made to those files since the upgrade are not carried over.',
    )
    .addHelpText('after', '\nExample:\n  interlock home rollback')
    .action(async () => {
      const place = openPlace(io);
      // Older files can be looser ones.
      requireNoAgentsCommand(place);
      told(io, await alone(place, async () => rollbackHome(changeOf(place, io))));
      say(io.stdout, 'Start the older program now: this one would bring the home on again.');
      done(exitCodes.ok);
    });
  return home;
};

function openPlace(io: Io): Home {
  const place = openHome(io.env);
  if (!existsSync(place.home))
    throw new CliError(
      `There is no Interlock home at ${place.home}.`,
      'Run "interlock init" first.',
    );
  return place;
}

function changeOf(place: Home, io: Io) {
  return { ...place, program: `interlock ${versionOf(io.packageRoot)}`, now: io.now };
}

function sentencesOf(place: Home): readonly string[] {
  const found = readHomeVersion(place);
  if (found.state === 'current')
    return [`${place.home} has version ${String(found.version)}, that of this program.`];
  if (found.state === 'older')
    return [
      `${place.home} has version ${String(found.version)}; this program works on ${String(homeVersion)}.`,
      'The runner brings it on at its next start; or now: interlock home upgrade',
    ];
  try {
    requireHomeVersion(place);
    return [];
  } catch (error) {
    const refusal = refusalOf(error);
    return refusal === undefined ? [] : [refusal.message, refusal.hint];
  }
}

/** While no runner is at work on the home, and none can start. */
async function alone<T>(place: Home, work: () => Promise<T>): Promise<T> {
  const { claimRunnerSocket } = await import('../../ingress/http/listen.ts');
  const release = await claimRunnerSocket(place.runnerSocket).catch((error: unknown) => {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    throw new RefusalError({
      ...refusal,
      hint: 'Stop that runner first, and start it again then.',
    });
  });
  try {
    return await work();
  } finally {
    release();
  }
}

function told(io: Io, { from, to, backup, changed }: VersionChange): void {
  say(io.stdout, `The home had version ${String(from)} and has ${String(to)} now.`);
  for (const path of changed) say(io.stdout, `  changed ${path}`);
  say(io.stdout, `The backup: ${backup}`);
}
