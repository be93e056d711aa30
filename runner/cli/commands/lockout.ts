import { Command } from 'commander';
import { messageOf } from '../../../shared/base/index.ts';
import type { Clock } from '../../../shared/base/index.ts';
import { keepStopNote, openHome, systemClock } from '../../../shared/home/index.ts';
import { lockOut, lockOutThrough, lockoutTimeoutMs } from '../../../shared/operations/index.ts';
import type { LockoutReport } from '../../../shared/operations/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import type { CommandModule } from '../command-table.ts';
import { noSuchBox } from '../../boxes/errors.ts';
import { boxRuntime } from '../../boxes/kept.ts';
import { lockBoxOut } from '../../boxes/locks.ts';
import { openBoxRecords } from '../../boxes/record.ts';
import { launcherPath } from '../../hosts/sandbox/launch.ts';
import { say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';

/** `interlock lockout`: stops everything; works with the runner down as well. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('lockout')
    .description(
      'The emergency stop: ends every running command, takes every ask back, makes the approvals token and all agent keys worthless, and refuses all that follows.',
    )
    .option('--box <name>', 'only this named box: all in it is killed, and it does not start again')
    .option('--reason <words>', 'why; shown wherever something is refused because of it')
    .option('--json', 'what was done, as JSON')
    .addHelpText(
      'after',
      "\nExamples:\n  interlock lockout --reason 'something is off'\n  ssh my-machine interlock lockout\n  interlock lockout --box fix",
    )
    .action(async (options: LockoutFlags) => {
      const home = openHome(io.env, { asOwner: true });
      if (options.box !== undefined) {
        await lockBox(io, home, options.box, options);
        done(0);
        return;
      }
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

interface LockoutFlags {
  readonly box?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

/** The same for one box. Everything else goes on: token and keys stay as they are. */
async function lockBox(
  io: Io,
  home: ReturnType<typeof openHome>,
  name: string,
  { reason = null, json }: { readonly reason?: string | null; readonly json?: boolean },
): Promise<void> {
  const { uid } = home;
  const records = openBoxRecords(home.boxesDirectory, uid);
  const runtime = boxRuntime(records, { launcher: launcherPath(io.packageRoot), uid });
  const by = 'command line';
  const at = io.now();
  if (!records.names().includes(name) && !runtime.runs(name, null)) throw noSuchBox(name);
  const lock = { at, reason, by };
  const report = await lockBoxOut(name, { records, runtime, uid, lock });
  const text = `The box "${name}". ${reason ?? 'No reason was given.'} ${JSON.stringify(report)}`;
  try {
    keepStopNote(home, { at, code: 'box-lockout', by, text }, uid);
  } catch (error) {
    say(io.stderr, `interlock: It could not be noted for the audit log: ${messageOf(error)}`);
  }
  if (json === true) sayJson(io.stdout, report);
  else {
    say(
      io.stdout,
      `The box "${name}" is locked${report.ended ? ', and all in it was ended' : ''}.`,
    );
    say(io.stdout, `A person ends this with "interlock unlock --box ${name}".`);
  }
  for (const problem of report.problems) say(io.stderr, `interlock: ${problem}`);
}

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
