import { quoteWords } from '../../../shared/analysis/quote.ts';
import type { PermitRequest } from '../../../shared/api/types.ts';
import type { ApprovalRecord, ApprovalRequest } from './frames.ts';

export interface QuestionOptions {
  /** The agent that our key speaks for; null: each of OpenClaw's agents under a name of its own. */
  readonly agent: string | null;
  /** Whether a folder of this path is on this machine. */
  readonly isFolder: (path: string) => boolean;
  /** Whether the Gateway is on this machine. */
  readonly isLocal: boolean;
}

/** Stands for a folder that is not on this machine. */
const nowhere = '/';
const longestReason = 4096;

/**
 * What the gate is asked. Where the command is to run on another machine, or with an environment or
 * in a folder that the gate cannot see, no rule may answer: a person is asked, and reads where.
 * Null when the request does not say what would be run.
 */
export function questionOf(
  { id, request }: ApprovalRecord,
  options: QuestionOptions,
): PermitRequest | null {
  const { agent, isFolder, isLocal } = options;
  const command = commandOf(request);
  if (command === null) return null;
  const cwd = request.systemRunPlan?.cwd ?? request.cwd ?? null;
  const isHere = isLocal && request.host !== 'node' && isAbsolute(cwd) && isFolder(cwd);
  const hasEnvironment = (request.envKeys ?? []).length > 0;
  const who = plainName(`openclaw:${request.agentId ?? 'main'}`);
  return {
    ...command,
    by: 'elsewhere',
    cwd: isHere ? cwd : nowhere,
    agent: agent ?? who,
    session: plainName(`openclaw:${request.sessionKey ?? request.agentId ?? 'main'}`),
    toolUseId: id,
    statedReason: reasonOf(request, cwd).slice(0, longestReason),
    ...((!isHere || hasEnvironment) && { ask: 'always' as const }),
  };
}

/** What a node will run is its plan, whatever the text says. */
function commandOf({
  host,
  command,
  systemRunPlan,
}: ApprovalRequest): Pick<PermitRequest, 'argv' | 'command'> | null {
  if (host === 'node') {
    const argv = systemRunPlan?.argv ?? [];
    return argv.length === 0 ? null : { argv };
  }
  return command === undefined || command.trim() === '' ? null : { command };
}

function reasonOf(request: ApprovalRequest, cwd: string | null): string {
  const { host, nodeId, envKeys = [], warningText, command, systemRunPlan } = request;
  const where = host === 'node' ? `on node ${nodeId ?? '(unnamed)'}` : 'on the Gateway';
  const lines = [`OpenClaw wants to run this ${where}, in ${cwd ?? 'a folder it does not name'}.`];
  if (envKeys.length > 0) lines.push(`It sets these variables: ${envKeys.join(', ')}`);
  if (host === 'node' && command !== undefined && command !== quoteWords(systemRunPlan?.argv ?? []))
    lines.push(`OpenClaw writes it as: ${command}`);
  if (typeof warningText === 'string' && warningText !== '') lines.push(warningText);
  return lines.join('\n');
}

function isAbsolute(path: string | null): path is string {
  return path?.startsWith('/') === true;
}

/** A name as the runner takes it: other characters become hyphens. */
function plainName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._:@/-]/g, '-').slice(0, 128);
}
