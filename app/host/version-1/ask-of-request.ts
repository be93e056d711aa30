import { createHash } from 'node:crypto';
import type { Ask, AncestorProcess } from '../../../shared/ask/types.ts';
import type { V1AskRequest } from '../../../shared/frames/v1.ts';
import type { Verdict } from '../../../shared/verdict/types.ts';
import type { QueuedAsk } from '../../bridge/types.ts';

/** How long an older client waits before it gives up by itself. */
export const clientPatienceMs = 15_000;

export interface AskOfRequestOptions {
  /** Our own id: a client's id may be anybody's. */
  readonly id: string;
  readonly now: number;
  readonly ancestry: readonly AncestorProcess[];
  /** What our own analysis sees in the command; null when there is none. */
  readonly verdict: Verdict | null;
}

/**
 * An older client's question as an ask of the queue. It offers no "always": that client keeps its
 * own list, and a rule in ours would not be asked.
 */
export function askOfRequest(request: V1AskRequest, options: AskOfRequestOptions): QueuedAsk {
  const { verdict } = options;
  const analysis = verdict?.analysis;
  const stages = analysis === undefined ? [] : analysis.ok ? analysis.plan.stages : analysis.stages;
  const ask: Ask = {
    id: options.id,
    kind: 'exec',
    agent: request.agentId ?? 'main',
    session: request.sessionKey ?? null,
    toolUseId: null,
    statedReason: null,
    host: request.host ?? 'gateway',
    cwd: request.cwd ?? '',
    command: request.command,
    isShellText: true,
    stages: stages.map((stage) => ({
      argv: stage.argv,
      resolvedPath: stage.executable.kind === 'file' ? stage.executable.realPath : null,
      program: stage.executable.kind,
      via: stage.via,
      cwd: stage.cwd,
      writes: stage.writes,
      why: 'The client that asks has its own rules, and none of them decided.',
      span: stage.span,
    })),
    opaque:
      analysis === undefined || analysis.ok
        ? null
        : { reason: analysis.reason, detail: analysis.detail, span: analysis.span },
    why: 'An OpenClaw client asks; it runs the command itself when you allow it.',
    risk: verdict?.risk ?? { level: 'none', findings: [] },
    env: [],
    ancestry: options.ancestry,
    proposals: [],
    durations: ['once'],
    createdAt: options.now,
    expiresAt: options.now + clientPatienceMs,
  };
  return { ask, askDigest: createHash('sha256').update(JSON.stringify(ask)).digest('hex') };
}
