import { randomBytes } from 'node:crypto';
import { Command } from 'commander';
import type { PermitBody } from '../../../shared/wire/index.ts';
import { openHome, systemClock } from '../../../shared/home/index.ts';
import type { Home } from '../../../shared/home/index.ts';
import { rulesOf } from '../../../shared/engine/index.ts';
import { openAsking } from '../asking.ts';
import type { Asking, AskingOptions } from '../asking.ts';
import type { CommandModule } from '../command-table.ts';
import { say } from '../io.ts';
import { folderOf } from '../request.ts';

type Options = AskingOptions & { readonly teach?: boolean };

/** `interlock app-server -- codex app-server`: Codex's app-server with the gate in front of it. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('app-server')
    .description(
      "Starts Codex's app-server and stands between it and its client. Requests for approval are answered by the gate; everything else goes through untouched.",
    )
    .argument('[words...]', 'the server and its arguments, after --', ['codex', 'app-server'])
    .option('--agent <name>', 'on whose behalf (default: main)')
    .option(
      '--key <file>',
      "sign with this key (default: INTERLOCK_KEY_FILE, else the agent's own)",
    )
    .option(
      '--teach',
      'hand what a person allowed for good to Codex as a rule; it then runs such commands without asking',
    )
    .passThroughOptions()
    .addHelpText('after', '\nExample:\n  interlock app-server --agent codex -- codex app-server')
    .action(async (words: string[], options: Options) => {
      const { createCodexGateway } = await import('../../ingress/codex-app-server/gateway.ts');
      const { serveRelay } = await import('../../ingress/relay/serve.ts');
      const { startAgent } = await import('../../ingress/relay/serve.ts');
      const session = `codex-${randomBytes(6).toString('hex')}`;
      const home = openHome(io.env);
      const asking = openAsking({ ...options, session }, io, home);
      const amend = options.teach === true ? teacher(asking, home) : async () => null;
      const stop = new AbortController();
      const unlisten = io.onSignal(() => stop.abort());
      const cwd = folderOf(io);
      const exitCode = await serveRelay({
        agent: startAgent(words, { cwd, env: io.env }),
        client: { input: io.stdin, output: io.stdout },
        clock: systemClock,
        say: (line) => say(io.stderr, `interlock app-server: ${line}`),
        signal: stop.signal,
        gateway: ({ toAgent }) => createCodexGateway({ ...asking, cwd, amend, toAgent }),
      });
      unlisten();
      done(exitCode);
    });

/** Looks for the rule that a person's "always" has just made. */
function teacher({ client, speaker }: Asking, home: Pick<Home, 'readPolicy'>) {
  return async (
    command: string,
    cwd: string,
    { permission }: PermitBody,
  ): Promise<readonly string[] | null> => {
    if (permission.code !== 'allow-always' || permission.by !== 'person') return null;
    const { agent } = speaker;
    const policy = home.readPolicy({ keepLastGood: false });
    if (!policy.ok) return null;
    const { amendmentFor } = await import('../../ingress/codex-app-server/gateway.ts');
    const verdict = await client.check({ command, cwd, ...(agent !== undefined && { agent }) });
    return amendmentFor(verdict, rulesOf(policy.document, agent ?? 'main'));
  };
}
