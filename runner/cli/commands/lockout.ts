import { Command } from 'commander';
import type { Clock } from '../../../shared/base/index.ts';
import { openHome, systemClock } from '../../../shared/home/index.ts';
import { lockOut, lockOutThrough, lockoutTimeoutMs } from '../../../shared/operations/index.ts';
import type { LockoutReport } from '../../../shared/operations/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import type { CommandModule } from '../command-table.ts';
import { say, sayJson } from '../io.ts';

/** `interlock lockout`: stops everything; works with the runner down as well. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('lockout')
    .description(
      'The emergency stop: ends every running command, takes every ask back, makes the approvals token and all agent keys worthless, and refuses all that follows.',
    )
    .option('--reason <words>', 'why; shown wherever something is refused because of it')
    .option('--json', 'what was done, as JSON')
    .addHelpText(
      'after',
      "\nExamples:\n  interlock lockout --reason 'something is off'\n  ssh my-machine interlock lockout",
    )
    .action(async (options: { readonly reason?: string; readonly json?: boolean }) => {
      const home = openHome(io.env, { asOwner: true });
      const socketPath = home.clientSocket();
      const runner = runnerClient({ socketPath, timeoutMs: lockoutTimeoutMs });
      const reason = options.reason ?? null;
      const isOurs = socketPath === home.runnerSocket;
      const clock: Clock = { ...systemClock, now: io.now };
      const report = isOurs
        ? await lockOut({ runner, paths: home, uid: home.uid, clock, reason, by: 'command line' })
        : await lockOutThrough(runner, reason);
      if (options.json === true) sayJson(io.stdout, report);
      else for (const line of reportLines(report)) say(io.stdout, line);
      for (const problem of report.problems) say(io.stderr, `interlock: ${problem}`);
      done(0);
    });

/** The confirmation, line by line. */
export function reportLines(report: LockoutReport): readonly string[] {
  const { stopped, withdrawn, keysRotated, tokenRotated, left, runnerReached } = report;
  return [
    `Locked.${runnerReached ? '' : ' No runner answered; all of it was done without one.'}`,
    `  commands stopped   ${String(stopped)}`,
    `  asks taken back    ${String(withdrawn)}`,
    `  agent keys revoked ${String(keysRotated)}`,
    `  approvals token    ${tokenRotated ? 'rotated' : 'NOT rotated'}`,
    ...(left === 0
      ? []
      : [`  STILL THERE        ${String(left)} processes that could not be stopped`]),
    'A person ends this with "interlock unlock".',
  ];
}
