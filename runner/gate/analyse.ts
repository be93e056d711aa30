import { realpath, stat } from 'node:fs/promises';
import { inAnotherShell, quoteWords, toolKinds } from '../../shared/engine/index.ts';
import type { Analysis, CommandRequest, ToolCall } from '../../shared/engine/index.ts';
import type { ExecRequest } from '../../shared/wire/index.ts';
import { refuse } from '../../shared/base/index.ts';
import type { GatePorts } from './ports.ts';
import type { Identified, Incoming, Known, RequestContext, Understood } from './request-context.ts';

/** Finds out what would run or be done. A kind of request that has no analyser is refused. */
export async function analyse(
  identified: Identified,
  ports: Pick<GatePorts, 'engine'>,
): Promise<Understood> {
  const read = await readOf(identified);
  return { ...read, analysis: await analysisOf(read.command, identified, ports) };
}

/** What a request means as things are now; looked at again before it is carried out. */
export async function analyseAgain(
  known: Known<'understood'>,
  ports: Pick<GatePorts, 'engine'>,
): Promise<Understood> {
  const { understood } = known;
  return { ...understood, analysis: await analysisOf(understood.command, known, ports) };
}

async function analysisOf(
  command: CommandRequest,
  { incoming, by }: Pick<RequestContext, 'incoming' | 'by'>,
  { engine }: Pick<GatePorts, 'engine'>,
): Promise<Analysis> {
  const analysis = await engine.analyse(command, toolIn(incoming));
  const isForeign = by === 'elsewhere' && incoming.kind === 'exec';
  return isForeign ? inAnotherShell(analysis, command.command ?? '') : analysis;
}

function toolIn(incoming: Incoming): ToolCall | undefined {
  return incoming.kind === 'exec' ? undefined : incoming.request;
}

async function readOf({
  incoming,
  target,
}: Pick<RequestContext, 'incoming' | 'target'>): Promise<
  Pick<Understood, 'command' | 'text' | 'detail'>
> {
  if (incoming.kind === 'exec') {
    const command = await commandOf(incoming.request, target?.nodeId !== undefined);
    const text = command.argv === undefined ? (command.command ?? '') : quoteWords(command.argv);
    return { command, text, detail: null };
  }
  if (!toolKinds.includes(incoming.kind))
    throw refuse(
      'invalid-request',
      `Requests of the kind "${incoming.kind}" are not understood here.`,
      'Send a command, or the use of a tool.',
    );
  const { detail } = incoming.request;
  const cwd = await realDirectory(incoming.request.cwd);
  return {
    command: { argv: wordsOf(incoming.request), cwd },
    text: toolText(incoming.request),
    detail,
  };
}

function wordsOf({ tool, target, moreTargets = [] }: ToolCall): readonly string[] {
  return [tool, target, ...moreTargets];
}

/** The use of a tool as a person reads it. */
export function toolText(call: ToolCall): string {
  return wordsOf(call).join(' ');
}

async function commandOf(request: ExecRequest, isThere: boolean): Promise<CommandRequest> {
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
    // On a node it means what it means there.
    cwd: isThere ? request.cwd : await realDirectory(request.cwd),
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
