import { Command } from 'commander';
import { say } from '../io.ts';
import type { Io } from '../io.ts';
import { asBoxCommand, openBoxes, pickBox } from './open.ts';

export type Done = (exitCode: number) => void;
/** Flags of commands for one box; each has some of them. */
export interface BoxFlags {
  readonly json?: boolean;
  readonly all?: boolean;
  readonly window?: string;
  readonly follow?: boolean;
  readonly written?: boolean;
  readonly keepBranch?: boolean;
  readonly discard?: boolean;
}

export const exits = `
Exit status: 0; 1 something failed, 2 no such box, 3 no such template, 4 something that it needs is
not there, 5 it was not started. "exec" ends as its command does.`;

/** Steps are said where a person waits, and never where the answer is JSON. */
export function progressTo(io: Io, { json }: BoxFlags): (line: string) => void {
  return (line) =>
    json === true || io.stderr.isTTY !== true ? undefined : say(io.stderr, `  ${line} …`);
}

export type Open = Awaited<ReturnType<typeof openBoxes>>;

/** What the help says of a command: in a list, and on its own page. */
export interface Words {
  readonly summary: string;
  readonly description: string;
}

/** A command for one box, whose name is picked at a terminal where it is left out. */
export function named(
  command: string,
  { summary, description }: Words,
  io: Io,
  done: Done,
  work: (name: string, open: Open, options: BoxFlags) => Promise<number>,
): Command {
  return new Command(command)
    .summary(summary)
    .description(description)
    .argument('[name]', 'the box; without it, a terminal shows a list to pick from')
    .option('--json', 'as JSON')
    .action(async (given: string | undefined, options: BoxFlags) =>
      asBoxCommand(io, done, async () => {
        const open = await openBoxes(io, progressTo(io, options));
        return work(await pickBox(io, open, given), open, options);
      }),
    );
}
