import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { alternatives, hookFile, hosts, readSettings } from '../../../shared/agents/index.ts';
import type { AgentHost } from '../../../shared/agents/index.ts';
import { ownUid } from '../../../shared/home/index.ts';
import type { CommandModule } from '../command-table.ts';
import { apply, diffOf } from '../install.ts';
import {
  copyOf,
  lockFile,
  locking,
  managedFor,
  requireRoot,
  uninstalling,
  uninstallingManaged,
} from '../install.ts';
import type { Change } from '../install.ts';
import { keyStays } from '../agent-keys.ts';
import { hostNamed } from '../install.ts';
import { say } from '../io.ts';
import type { Io } from '../io.ts';

interface Options {
  readonly project?: boolean;
  readonly managed?: boolean;
  readonly dryRun?: boolean;
}

/** `interlock uninstall HOST`: takes the hook out again. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('uninstall')
    .description(
      "Takes the hook of Interlock out of an agent host's settings, which are then as they were before. From then on the host's own rules decide alone.",
    )
    .argument('<host>', alternatives(hosts))
    .option('--project', 'only for the current folder')
    .option('--managed', 'out of the settings of the machine (sudo)')
    .option('--dry-run', 'show what would change, and change nothing')
    .addHelpText('after', `\nExample:\n  interlock uninstall ${hosts[0] ?? ''} --dry-run`)
    .action((name: string, options: Options) => {
      for (const line of uninstall(hostNamed(name), options, io)) say(io.stdout, line);
      done(0);
    });

function uninstall(host: AgentHost, options: Options, io: Io): readonly string[] {
  const isManaged = options.managed === true;
  const project = options.project === true && !isManaged ? io.cwd() : null;
  const uid = ownUid();
  const path = isManaged ? managedFor(host).write : hookFile(host, { env: io.env, project });
  if (isManaged) requireRoot(uid, path);
  const file = readSettings(path, { uid, project });
  const change = isManaged ? uninstallingManaged(file, host) : uninstalling(file, host);
  if (change === null) return [`No hook of Interlock is in ${file.path}; nothing was changed.`];
  if (options.dryRun === true) return [diffOf(change)];
  const locked = isManaged ? lockFile(host, uid) : null;
  if (locked !== null) apply(locking(locked, host, false));
  apply(change);
  return [...whatBecame(change), keyStays(change.agent)];
}

function whatBecame({ file, after, copy }: Change): readonly string[] {
  if (after === null) return [`Removed ${file.path}, which had nothing else in it.`];
  if (copy === 'drop') return [`${file.path} is as it was before.`];
  const earlier = copyOf(file.path);
  return [
    `Took the hooks of Interlock out of ${file.path}, and left what was changed since.`,
    ...(existsSync(earlier) ? [`As it was before they came: ${earlier}`] : []),
  ];
}
