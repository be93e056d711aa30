import type { HomePaths } from '../../../shared/node/home/paths.ts';
import { readBootId } from '../../../shared/node/running-record/boot.ts';
import { listProcesses } from '../../../shared/node/running-record/processes.ts';
import { CliError } from '../failure.ts';
import { requirePerson } from '../answer/person.ts';
import type { Io } from '../io.ts';
import { commandProcesses } from '../../../shared/node/lockout/leftovers.ts';

/** Throws unless a terminal is on both ends and this is no command that an agent had run. */
export function requirePersonHere(io: Io, paths: HomePaths): void {
  requirePerson(io);
  requireNoAgentsCommand(paths);
}

/**
 * Throws when this is a command that an agent had run: an agent can make a terminal, but not shed
 * where it comes from without leaving its session and environment.
 */
export function requireNoAgentsCommand(paths: HomePaths): void {
  const processes = listProcesses();
  const own = chain(process.pid, new Map(processes.map(({ pid, parent }) => [pid, parent])));
  const { pick } = commandProcesses(paths, process.geteuid?.() ?? -1, () => processes);
  const bootId = readBootId();
  // Nothing is to be spared here: our own ancestors are what we look for.
  const commands = pick({ processes, bootId, spare: -1 });
  if (!commands.some(({ pid }) => own.has(pid))) return;
  throw new CliError(
    'This is a command that an agent had run, and only a person can do this.',
    'Open a terminal of your own and run it there.',
  );
}

function chain(pid: number, parents: ReadonlyMap<number, number>): ReadonlySet<number> {
  const seen = new Set<number>();
  for (let here: number | undefined = pid; here !== undefined && !seen.has(here);) {
    seen.add(here);
    here = parents.get(here);
  }
  return seen;
}
