import { Command, InvalidArgumentError } from 'commander';
import { openHome } from '../../../shared/home/index.ts';
import type { CommandModule } from '../command-table.ts';
import { editConfig } from '../config-edit.ts';
import { CliError } from '../failure.ts';
import { say } from '../io.ts';
import type { Io } from '../io.ts';
import { toolRunner } from './manager.ts';
import { accountsThrough } from './system-manager.ts';

interface ShareOptions {
  readonly configPath: string;
  /** Who owns the home. */
  readonly owner: number;
  /** The shared socket, or null to leave what the file says of it. */
  readonly socket: { readonly path: string; readonly gid: number } | null;
  /** Users who may act as any agent from now on; those who are listed stay. */
  readonly uids: readonly number[];
}

/**
 * Writes into `config.json` who may use the shared socket. All else in the file stays. Throws, and
 * writes nothing, when the file is not valid before or after.
 */
export function shareWith({ configPath, owner, socket, uids }: ShareOptions): readonly number[] {
  let added: readonly number[] = [];
  editConfig({ configPath, owner }, (raw, { users }) => {
    const known = new Set(users.flatMap(({ uid }) => uid ?? []));
    added = uids.filter((uid) => uid !== owner && !known.has(uid));
    return {
      ...raw,
      users: [...users, ...added.map((uid) => ({ uid, agents: ['*'] }))],
      ...(socket !== null && {
        service: { ...(raw['service'] as object | undefined), sharedSocket: socket },
      }),
    };
  });
  return added;
}

interface Options {
  readonly socket?: string;
  readonly group?: string;
  readonly uid?: readonly number[];
}

/** `service share`: who else may use this home's runner, as its owner writes it into config.json. */
export function declareShare(io: Io, done: Parameters<CommandModule['declare']>[1]): Command {
  return new Command('share')
    .summary('let other users use this runner; run as its user')
    .description(
      'Writes into config.json which other users may use this runner, and on which socket. Users hold at once; another socket holds after a reload.',
    )
    .option('--uid <number>', 'a user who may act as any agent; repeatable', numbers)
    .option('--socket <path>', 'where they knock; its folder belongs to the user of the runner')
    .option('--group <name>', 'whose members may knock there')
    .addHelpText('after', '\nExample:\n  sudo -u interlock -H interlock service share --uid 1001')
    .action(async (options: Options) => {
      const { config, uid } = openHome(io.env);
      const added = shareWith({
        configPath: config,
        owner: uid,
        socket: await socketOf(options, io),
        uids: options.uid ?? [],
      });
      say(
        io.stdout,
        added.length === 0 ? 'Nobody new was let in.' : `Let in: ${added.join(', ')}.`,
      );
      done(0);
    });
}

async function socketOf(
  { socket, group }: Options,
  io: Io,
): Promise<{ readonly path: string; readonly gid: number } | null> {
  if (socket === undefined && group === undefined) return null;
  if (socket === undefined || group === undefined)
    throw new CliError('--socket and --group belong together.', 'Give both, or neither.');
  const gid = await accountsThrough(toolRunner(io.env)).groupOf(group);
  if (gid === null) throw new CliError(`There is no group "${group}".`, 'See "getent group".');
  return { path: socket, gid };
}

function numbers(text: string, before: readonly number[] = []): readonly number[] {
  if (!/^\d{1,10}$/u.test(text))
    throw new InvalidArgumentError('It takes a number, as "id -u" prints it.');
  return [...before, Number(text)];
}
