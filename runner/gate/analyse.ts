import { realpath, stat } from 'node:fs/promises';
import { quoteWords } from '../../shared/analysis/quote.ts';
import type { CommandRequest } from '../../shared/analysis/types.ts';
import type { ExecRequest } from '../../shared/api/types.ts';
import { refuse } from '../../shared/refusal/refusal.ts';
import type { GatePorts } from './ports.ts';
import type { Incoming, Understood } from './types.ts';

/** Finds out what would run. A kind of request that has no analyser is refused. */
export async function analyse(
  { kind, request }: Incoming,
  { analyser, surroundings }: Pick<GatePorts, 'analyser' | 'surroundings'>,
): Promise<Understood> {
  if (kind !== 'exec')
    throw refuse(
      'invalid-request',
      `Requests of the kind "${kind}" are not understood here.`,
      'Send a command.',
    );
  const command = await commandOf(request);
  const text = command.argv === undefined ? (command.command ?? '') : quoteWords(command.argv);
  return { command, text, analysis: (await analyser()).analyse(command, surroundings()) };
}

async function commandOf(request: ExecRequest): Promise<CommandRequest> {
  const { argv, command, env } = request;
  if ((argv === undefined) === (command === undefined))
    throw refuse(
      'invalid-request',
      'A request needs either "argv" or "command", and not both.',
      'Send "argv" for a program with its arguments, "command" for shell text.',
    );
  if (argv?.[0] === '')
    throw refuse('invalid-request', 'The name of the program is empty.', 'Name a program.');
  return {
    ...(argv === undefined ? {} : { argv }),
    ...(command === undefined ? {} : { command }),
    ...(env === undefined ? {} : { env }),
    cwd: await realDirectory(request.cwd),
  };
}

async function realDirectory(path: string): Promise<string> {
  try {
    const real = await realpath(path);
    if ((await stat(real)).isDirectory()) return real;
  } catch {
    // Told below in one sentence, whatever the reason.
  }
  throw refuse(
    'invalid-request',
    `The working directory ${path} does not exist or cannot be entered.`,
    'Ask again from a directory that exists.',
  );
}
