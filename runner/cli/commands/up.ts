import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import { commandToType, openHome } from '../../../shared/home/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import { versionOf } from '../command-line.ts';
import type { CommandModule } from '../command-table.ts';
import { say } from '../io.ts';
import type { Io } from '../io.ts';

function tryNext({ env, packageRoot }: Io, agents: readonly string[]): readonly string[] {
  const command = commandToType(env, packageRoot);
  return [
    ...(agents.length > 0
      ? []
      : [
          '',
          'No agent has asked yet. Connect one:',
          `  ${command} install claude     or codex, gemini, …: ${command} install --help`,
        ]),
    '',
    'Try, in another terminal:',
    `  ${command} run -- rm -rf /tmp/demo     asks you first`,
    '  npm run demo     six prompts of different kinds',
    `  ${command} doctor     what holds here, and what does not`,
    ...(command === 'interlock' ? [] : ['', 'To type just "interlock": npm run link-command']),
  ];
}

/** `interlock up`: everything that is needed, until Ctrl-C. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('up')
    .description(
      'Makes INTERLOCK_HOME if there is none, starts the runner and the best approver there is, and stays until Ctrl-C. Where they run already, it says so and harms nothing.',
    )
    .addHelpText('after', '\nExample:\n  interlock up')
    .action(async () => {
      const { startChild } = await import('../up/child.ts');
      const { agentsSeen, raiseApprover, raiseRunner } = await import('../up/up.ts');
      const { stay } = await import('../up/up.ts');
      const home = openHome(io.env);
      const made = await home.init(io.now, { program: `interlock ${versionOf(io.packageRoot)}` });
      say(io.stdout, `home      ${home.home}${made.kept.includes(home.config) ? '' : ' (new)'}`);
      for (const problem of made.problems) say(io.stderr, `interlock: ${problem}`);
      const parts = {
        io,
        home,
        client: runnerClient({ socketPath: home.runnerSocket, timeoutMs: 2000 }),
        start: startChild,
        sleep: async (ms: number, signal?: AbortSignal) =>
          delay(ms, undefined, signal === undefined ? {} : { signal }),
      };
      const runner = await raiseRunner(parts);
      const approver = await raiseApprover(parts).catch(async (error: unknown) => {
        await runner?.stop();
        throw error;
      });
      if (runner === null && approver === null) {
        done(0);
        return;
      }
      for (const line of tryNext(io, await agentsSeen(parts.client))) say(io.stdout, line);
      say(io.stdout, '\nCtrl-C stops what was started here.');
      await stay({ runner, approver }, io);
      done(0);
    });
