import { Command, Option } from 'commander';
import { clientSocket } from '../../../shared/node/home/client-socket.ts';
import { homePaths } from '../../../shared/node/home/paths.ts';
import { runnerClient } from '../../../shared/node/runner-client/client.ts';
import { askModes, securityModes } from '../../../shared/policy/types.ts';
import type { Io } from '../io.ts';
import type { CommandModule } from '../command-table.ts';
import { jsonSink, streamingSink } from '../run/output.ts';
import { speakerOf } from '../run/key.ts';
import type { RunOptions } from '../run/options.ts';
import { sleep } from '../run/patience.ts';
import { requestOf } from '../run/request.ts';
import { redemptionOf } from '../run/redemption.ts';
import { runRequest } from '../run/run.ts';
import type { RunParts } from '../run/run.ts';
import { collect } from '../text/collect.ts';

/** `interlock run`: one command through the gate. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('run')
    .summary('run one command through the gate')
    .description('Runs one command through the gate, with its output and its exit status.')
    .argument('[words...]', 'program and arguments, run without a shell')
    .option('-c, --command <text>', 'shell text instead of separate words')
    .option('--ticket <id>', 'run what an agent hook was given this ticket for')
    .option('--agent <name>', 'on whose behalf (default: main)')
    .option(
      '--key <file>',
      "sign with this key (default: INTERLOCK_KEY_FILE, else the agent's own)",
    )
    .option('--session <id>', 'the session that is told what happened')
    .option(
      '--host <host>',
      'the host it has to run on; gateway, this machine, is the only one so far',
    )
    .addOption(new Option('--node <name>', 'the node it has to run on').hideHelp())
    .addOption(
      new Option('--security <mode>', 'tighten the policy for this command').choices(securityModes),
    )
    .addOption(new Option('--ask <mode>', 'ask more often than the policy').choices(askModes))
    .option('--cwd <folder>', 'where it runs (default: here)')
    .option('--timeout <duration>', 'stop it after this long, as in 30s or 5m')
    .option('--reason <words>', 'why; shown to the person who is asked')
    .option('--stdin', 'send standard input, at most 10 MiB')
    .option('--env <NAME=VALUE>', 'set a variable; may be repeated', collect)
    .option('--pass-env <NAME>', 'pass a variable of yours on; may be repeated', collect)
    .option('--json', 'one JSON object with result and output at the end')
    .option('--verbose', 'say what is being waited for even when stderr is no terminal')
    .passThroughOptions()
    .addHelpText(
      'after',
      `
Examples:
  interlock run -- git status
  interlock run -c 'ls | head -3 && date'
  interlock run --agent claude --timeout 30s -- npm test
  tar c src | interlock run --stdin -- tar t

Ctrl-C takes a waiting ask back, or stops the command.`,
    )
    .action(async (words: string[], options: RunOptions) => {
      done(
        await runRequest({
          start: await starterOf(words, options, io),
          sink: options.json === true ? jsonSink(io.stdout) : streamingSink(io),
          io,
          sleep,
          chatty: options.verbose === true || io.stderr.isTTY === true,
        }),
      );
    });

/** How the request is sent: a command through the gate, or what a ticket was issued for. */
async function starterOf(
  words: readonly string[],
  options: RunOptions,
  io: Io,
): Promise<RunParts['start']> {
  const paths = homePaths(io.env);
  const socketPath = clientSocket(io.env, paths);
  if (options.ticket !== undefined) {
    const slip = redemptionOf(options.ticket, words, options, io);
    return (signal) => runnerClient({ socketPath }).redeem(slip, signal);
  }
  const { agent, sign } = speakerOf(options, io, paths);
  const named = { ...options, ...(agent !== undefined && { agent }) };
  const request = await requestOf(words, named, io);
  const client = runnerClient({ socketPath, ...(sign !== undefined && { sign }) });
  return (signal) => client.exec(request, signal);
}
