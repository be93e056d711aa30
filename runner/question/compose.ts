import type { Stage } from '../../shared/analysis/types.ts';
import { unsafeVariable } from '../../shared/analysis/environment.ts';
import { truncationMark } from '../../shared/api/limits.ts';
import type { ToolDetail } from '../../shared/tools/types.ts';
import type { AncestorProcess, AskStage, Proposal } from '../../shared/ask/types.ts';
import type { AskDraft } from '../gate/ports.ts';
import type { Identity, Incoming, Target, Understood } from '../gate/types.ts';
import type { Verdict } from '../../shared/verdict/types.ts';
import { durationsFor, proposalsFor } from './durations.ts';

export interface QuestionParts {
  readonly id: string;
  readonly incoming: Incoming;
  readonly identity: Identity;
  readonly target: Target;
  readonly understood: Understood;
  readonly verdict: Verdict;
  readonly ancestry: readonly AncestorProcess[];
  readonly proposed: readonly Proposal[];
}

/** The ask that a person sees: everything that is known about the request, as data. */
export function composeQuestion(parts: QuestionParts): AskDraft {
  const { id, incoming, identity, target, understood, verdict, ancestry } = parts;
  const { analysis } = understood;
  const proposals = proposalsFor(verdict, parts.proposed);
  return {
    id,
    kind: incoming.kind,
    agent: identity.agent,
    session: identity.session,
    toolUseId: incoming.request.toolUseId ?? null,
    statedReason: incoming.request.statedReason ?? null,
    host: target.node === null ? target.host.name : `${target.host.name} ${target.node}`,
    cwd: understood.command.cwd,
    command: understood.text,
    isShellText: understood.command.command !== undefined,
    ...(understood.detail === null ? {} : { detail: shown(understood.detail) }),
    stages: (analysis.ok ? analysis.plan.stages : analysis.stages).map((stage, index) =>
      askStage(stage, verdict.matches.find((found) => found.stage === index)?.why ?? ''),
    ),
    opaque: analysis.ok
      ? null
      : { reason: analysis.reason, detail: analysis.detail, span: analysis.span },
    why: verdict.message,
    risk: verdict.risk,
    env: Object.entries(understood.command.env ?? {}).map(([name, value]) => ({
      name,
      value,
      unsafe: unsafeVariable(name) !== null,
    })),
    ancestry,
    proposals,
    durations: durationsFor(verdict, proposals, identity.session),
  };
}

/** Longest text of a detail; an ask has to fit into one frame. */
const mostDetail = 32_000;

function shown({ form, text }: ToolDetail): ToolDetail {
  return text.length <= mostDetail
    ? { form, text }
    : { form, text: text.slice(0, mostDetail) + truncationMark };
}

function askStage(stage: Stage, why: string): AskStage {
  const { argv, executable, via, cwd, writes, span } = stage;
  const resolvedPath = executable.kind === 'file' ? executable.realPath : null;
  return { argv, resolvedPath, program: executable.kind, via, cwd, writes, why, span };
}
