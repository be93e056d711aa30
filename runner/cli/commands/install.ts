import { Command } from 'commander';
import { hookFile, readSettings } from '../../../shared/agents/index.ts';
import { ownUid } from '../../../shared/home/index.ts';
import type { CommandModule } from '../command-table.ts';
import { adviceFor } from '../install.ts';
import { apply, changes, diffOf } from '../install.ts';
import { copyOf, installing } from '../install.ts';
import { ensureKey } from '../agent-keys.ts';
import { twice } from '../install.ts';
import { hostNamed, wantedFor } from '../install.ts';
import type { InstallOptions } from '../install.ts';
import { say } from '../io.ts';
import type { Io } from '../io.ts';

interface Options extends InstallOptions {
  readonly project?: boolean;
  readonly dryRun?: boolean;
}

/** `interlock install HOST`: puts an agent behind the gate. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('install')
    .description(
      'Adds the hook of Interlock to the settings of an agent host and makes a key for the agent. All else in the settings stays as it is; safe to repeat.',
    )
    .argument('<host>', 'claude, codex, gemini, cursor or opencode')
    .option('--project', 'only for the current folder')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--agent <name>', 'whose key and rules hold; the name of the host when absent')
    .option('--tools <kinds>', 'of shell,edit,fetch,mcp; all when absent')
    .addHelpText(
      'after',
      `
Examples:
  interlock install claude
  interlock install codex --dry-run
  interlock install gemini --project --agent gemini-web --tools shell,edit`,
    )
    .action(async (name: string, options: Options) => {
      for (const line of await install(name, options, io)) say(io.stdout, line);
      done(0);
    });

async function install(name: string, options: Options, io: Io): Promise<readonly string[]> {
  const host = hostNamed(name);
  const wanted = wantedFor(host, options, io);
  const project = options.project === true ? io.cwd() : null;
  const uid = ownUid();
  const file = readSettings(hookFile(host, { env: io.env, project }), { uid, project });
  const change = installing(file, wanted);
  if (options.dryRun === true)
    return changes(change)
      ? [diffOf(change)]
      : [`Nothing would change: ${file.path} has the hook.`];
  const key = await ensureKey(io, wanted.command.agent);
  apply(change);
  return [
    changes(change) ? `Wrote ${file.path}` : `${file.path} was as it should be.`,
    ...(change.copy === 'make' ? [`As it was before: ${copyOf(file.path)}`] : []),
    `Behind the gate: ${wanted.tools.join(', ')}`,
    ...key,
    ...twice(host, project, io),
    ...adviceFor(host, io),
  ];
}
