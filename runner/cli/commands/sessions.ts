import { Command } from 'commander';
import { clientSocket, homePaths } from '../../../shared/home/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import type { CommandModule } from '../command-table.ts';
import { say, sayJson } from '../io.ts';
import { speakerOf } from '../signing-key.ts';
import { sessionLines } from '../../../shared/wire/index.ts';

interface EndOptions {
  readonly agent: string;
  readonly session: string;
  readonly key?: string;
  readonly json?: boolean;
}

/** `interlock sessions`: what an agent's program says about its sessions. */
export const sessionsCommand: CommandModule['declare'] = (io, done) => {
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

interface Options {
  readonly agent: string;
  readonly session: string;
  readonly key?: string;
  readonly minutes?: string;
  readonly save?: boolean;
  readonly json?: boolean;
}

/** `interlock session`: what one session has other than its agent. */
export const sessionCommand: CommandModule['declare'] = (io, done) => {
  const command = new Command('session').description(
    'What one session of an agent has other than the agent: where its commands run, and how they are decided. What loosens is asked about, holds for a while and ends with the session, a lockout or the runner; nothing of that is kept. What holds it back is taken back by a person alone.',
  );
  const order = async (text: string, options: Options): Promise<void> => {
    const { agent, session, minutes, json, ...rest } = options;
    const paths = homePaths(io.env);
    const { sign } = speakerOf({ agent, ...rest }, io, paths);
    const socketPath = clientSocket(io.env, paths);
    const runner = runnerClient({ socketPath, ...(sign !== undefined && { sign }) });
    const forMs = minutes === undefined ? undefined : Math.round(Number(minutes) * 60_000);
    const body = await runner.overrideSession({
      agent,
      session,
      text,
      ...(forMs !== undefined && { forMs }),
    });
    if (json === true) sayJson(io.stdout, body);
    else for (const line of sessionLines(body, io.now())) say(io.stdout, line);
    done(0);
  };
  const sub = (name: string, summary: string): Command =>
    command
      .command(name)
      .summary(summary)
      .description(`${summary[0]?.toUpperCase() ?? ''}${summary.slice(1)}.`)
      .requiredOption('--agent <name>', 'whose session')
      .requiredOption('--session <id>', 'which one')
      .option(
        '--key <file>',
        "sign with this key (default: INTERLOCK_KEY_FILE, else the agent's own)",
      )
      .option('--json', 'what holds then, as JSON');
  sub('show', 'what holds for the session, and who said so').action(async (options: Options) =>
    order('/exec', options),
  );
  sub('exec', 'set host, node, security and ask, or take them back')
    .argument('<values...>', 'host=, node=, security=, ask=, or off')
    .option('--minutes <n>', 'how long, where it is raised; the settings may say less')
    .option('--save', 'keep what is set also after a restart, once a person says yes')
    .addHelpText(
      'after',
      '\nExamples:\n  interlock session exec --agent claude --session 4f2a ask=always\n  interlock session exec --agent claude --session 4f2a off',
    )
    .action(async (values: readonly string[], { save, ...options }: Options) =>
      order(['/exec', ...values, ...(save === true ? ['--save'] : [])].join(' '), options),
    );
  sub('elevated', 'run on this machine with fewer questions, once a person says yes')
    .argument('<how>', 'on: security full; ask: each command is asked about; full: unasked; off')
    .option('--minutes <n>', 'how long; the settings may say less')
    .addHelpText(
      'after',
      '\nExample:\n  interlock session elevated --agent claude --session 4f2a on --minutes 5',
    )
    .action(async (how: string, options: Options) => order(`/elevated ${how}`, options));
  return command;
};
