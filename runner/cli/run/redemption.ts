import type { RedeemRequest } from '../../../shared/api/types.ts';
import { CliError } from '../failure.ts';
import type { Io } from '../io.ts';
import type { RunOptions } from './options.ts';
import { folderOf } from './request.ts';

/** What may stand beside `--ticket`: how the result is told, and nothing about what runs. */
const told: ReadonlySet<string> = new Set([
  'ticket',
  'json',
  'verbose',
] satisfies (keyof RunOptions)[]);

/**
 * The request that `--ticket` stands for. Command, agent and session are those that the ticket was
 * issued for, so none of them may be given with it.
 */
export function redemptionOf(
  ticket: string,
  words: readonly string[],
  options: RunOptions,
  io: Io,
): RedeemRequest {
  const others = Object.keys(options).filter((name) => !told.has(name));
  if (words.length > 0 || others.length > 0)
    throw new CliError(
      'A ticket stands for one command as it was allowed; nothing can be added to it.',
      'Use --ticket alone, or leave it out and give the command.',
    );
  if (!/^[A-Za-z0-9_-]{43}$/.test(ticket))
    throw new CliError(
      'That is no ticket.',
      'Tickets come from an agent hook; a command is run with: interlock run -- PROGRAM.',
    );
  return { ticket, cwd: folderOf(io) };
}
