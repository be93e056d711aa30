import { Command } from 'commander';
import { clientSocket, homePaths } from '../../../shared/home/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import type { CommandModule } from '../command-table.ts';
import { say, sayJson } from '../io.ts';
import { speakerOf } from '../signing-key.ts';

interface EndOptions {
  readonly agent: string;
  readonly session: string;
  readonly key?: string;
  readonly json?: boolean;
}

/** `interlock sessions`: what an agent's program says about its sessions. */
export const declare: CommandModule['declare'] = (io, done) => {
  const command = new Command('sessions').description(
    'What the program of an agent says about its sessions.',
  );
  command
    .command('end')
    .summary('forget what was granted for a session')
    .description(
      'Ends a session: what was granted for it is forgotten, and its questions are taken back. An agent can only end sessions of its own.',
    )
    .requiredOption('--agent <name>', 'whose session')
    .requiredOption('--session <id>', 'which one')
    .option(
      '--key <file>',
      "sign with this key (default: INTERLOCK_KEY_FILE, else the agent's own)",
    )
    .option('--json', '{"agent", "session", "grants", "withdrawn"} as JSON')
    .addHelpText('after', '\nExample:\n  interlock sessions end --agent claude --session 4f2a')
    .action(async ({ agent, session, json, ...options }: EndOptions) => {
      const paths = homePaths(io.env);
      const { sign } = speakerOf({ agent, ...options }, io, paths);
      const socketPath = clientSocket(io.env, paths);
      const runner = runnerClient({ socketPath, ...(sign !== undefined && { sign }) });
      const { ok: _ok, ...ended } = await runner.endSession({ agent, session });
      if (json === true) sayJson(io.stdout, ended);
      else
        say(
          io.stdout,
          `The session is over: ${ended.grants} grants forgotten, ${ended.withdrawn} questions taken back.`,
        );
      done(0);
    });
  return command;
};
