import {
  approversOf,
  doingOf,
  presenceOf,
  unsafeVariable,
  whyNoRule,
} from '../../shared/engine/index.ts';
import type {
  AncestorProcess,
  AskStage,
  GrantDuration,
  Proposal,
  Stage,
  StageMatch,
  ToolDetail,
  Verdict,
} from '../../shared/engine/index.ts';
import { truncationMark } from '../../shared/wire/index.ts';
import type { AskDraft } from './ports.ts';
import type { Decided } from './request-context.ts';

/** The proposal that covers nothing but the very command of the ask. */
export const sameCommandId = 'same-command';

/**
 * Ways to say yes for longer. A command that no rule may cover can still be granted as it is, for a
 * while; a risky one, or one that has to be asked about each time, can not.
 */
function proposalsFor(verdict: Verdict, proposed: readonly Proposal[]): readonly Proposal[] {
  if (!mayLast(verdict)) return [];
  if (proposed.length > 0) return proposed;
  return [
    {
      id: sameCommandId,
      scope: 'exact',
      sentence: 'Exactly this command, in this directory, while nothing that it runs has changed.',
      rules: [],
      pastCommands: [],
    },
  ];
}

/** The durations that fit the proposals: `always` needs rules, a session grant a session. */
function durationsFor(
  verdict: Verdict,
  proposals: readonly Proposal[],
  session: string | null,
): readonly GrantDuration[] {
  if (proposals.length === 0) return ['once'];
  const lasting = proposals.some(({ rules }) => rules.length > 0) && verdict.reason === 'no-rule';
  return [
    'once',
    '15-minutes',
    ...(session === null ? [] : (['session'] as const)),
    'until-restart',
    ...(lasting ? (['always'] as const) : []),
  ];
}

function mayLast(verdict: Verdict): boolean {
  const { reason, risk, policy, guarded } = verdict;
  if (presenceOf(verdict) !== null) return false;
  if (risk.level === 'high' || policy.ask === 'always' || guarded.length > 0) return false;
  return reason === 'no-rule' || reason === 'opaque' || reason === 'never-trusted';
}

/** The ask that a person sees: everything that is known about the request, as data. */
export function composeQuestion(
  { id, incoming, identity, target, understood, verdict, advice }: Decided,
  {
    ancestry,
    proposed,
    change = null,
  }: {
    readonly ancestry: readonly AncestorProcess[];
    readonly proposed: readonly Proposal[];
    /** What is new in a script that was allowed before. */
    readonly change?: ToolDetail | null;
  },
): AskDraft {
  const { analysis } = understood;
  const proposals = proposalsFor(verdict, proposed);
  const presence = presenceOf(verdict);
  const approvers = approversOf(verdict);
  const detail = understood.detail ?? change;
  const durations = durationsFor(verdict, proposals, identity.session);
  return {
    id,
    kind: incoming.kind,
    agent: identity.agent,
    session: identity.session,
    toolUseId: incoming.request.toolUseId ?? null,
    statedReason: incoming.request.statedReason ?? null,
    host: hostWords(target, incoming),
    cwd: understood.command.cwd,
    command: understood.text,
    isShellText: understood.command.command !== undefined,
    ...(detail === null ? {} : { detail: shown(detail) }),
    stages: (analysis.ok ? analysis.plan.stages : analysis.stages).map((stage, index) =>
      askStage(
        stage,
        verdict.matches.find((found) => found.stage === index),
      ),
    ),
    opaque: analysis.ok
      ? null
      : { reason: analysis.reason, detail: analysis.detail, span: analysis.span },
    why: verdict.message,
    whyCode: verdict.reason,
    ...(durations.includes('always') ? {} : { whyNotAlways: whyNoRule(verdict) }),
    risk: verdict.risk,
    ...(presence !== null && { presence }),
    ...(approvers > 1 && { approvers }),
    ...(advice !== undefined && { advice }),
    env: Object.entries(understood.command.env ?? {}).map(([name, value]) => ({
      name,
      value,
      unsafe: unsafeVariable(name) !== null,
    })),
    ancestry,
    proposals,
    durations,
    ...(durations.includes('always') && { everyAgent: true }),
  };
}

/** Where it runs, and for which other machine. */
function hostWords({ host, node }: Decided['target'], { from }: Decided['incoming']): string {
  const where = node === null ? host.name : `${host.name} ${node}`;
  return from === undefined ? where : `${where}, asked by ${from.displayName}`;
}

/** Longest text of a detail; an ask has to fit into one frame. */
const mostDetail = 32_000;

function shown({ form, text }: ToolDetail): ToolDetail {
  return text.length <= mostDetail
    ? { form, text }
    : { form, text: text.slice(0, mostDetail) + truncationMark };
}

function askStage(stage: Stage, match: StageMatch | undefined): AskStage {
  const { argv, executable, via, cwd, writes, span } = stage;
  const resolvedPath = executable.kind === 'file' ? executable.realPath : null;
  const { does, acts } = doingOf(stage);
  const told = {
    why: match?.why ?? '',
    ...(match !== undefined && { whyCode: match.code }),
    ...(does !== null && { does }),
    ...(acts.length > 0 && { acts }),
  };
  return { argv, resolvedPath, program: executable.kind, via, cwd, writes, ...told, span };
}
