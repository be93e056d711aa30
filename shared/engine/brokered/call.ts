import { refuse } from '../../base/index.ts';
import type { Verdict } from '../decide/types.ts';
import type { Analysis, CommandRequest, Stage } from '../plan/types.ts';

/** Of the words of a request for a brokered tool, what its policy is held against. */
export interface ToolRequest {
  readonly command: CommandRequest;
  readonly analysis: Analysis;
}

/**
 * The one program of a request that is nothing else, where it may be given a credential. Throws
 * `invalid-request` or `policy-deny`.
 */
export function brokeredProgram({ command, analysis }: ToolRequest): Stage {
  const stages = analysis.ok ? analysis.plan.stages : [];
  const [stage] = stages;
  const [name] = command.argv ?? [];
  const isPlain =
    stage !== undefined && stages.length === 1 && stage.via.length === 0 && stage.argv[0] === name;
  if (!isPlain || name === undefined || name.includes('/'))
    throw refuse(
      'invalid-request',
      'A brokered tool is called by its name with its arguments, and not by shell text, a path or a wrapper.',
      'Send "argv", as in: interlock run --host tools -- gh pr list',
    );
  const { executable } = stage;
  if (executable.kind === 'missing') return stage;
  if (executable.kind === 'file' && executable.foundBy === 'path' && !executable.agentWritable)
    return stage;
  throw refuse(
    'policy-deny',
    `The program ${name} lies where an agent could change it, so it is given no credential.`,
    'Install it where only its owner writes.',
  );
}

/**
 * What the policy of a tool wants confirmed is asked about each time, whatever rules, grants and modes
 * say, and nobody but a person says yes to it.
 *
 * @param why the sentence of the policy; null where it wants nothing confirmed
 */
export function confirmedForTool(verdict: Verdict, why: string | null): Verdict {
  if (why === null || verdict.decision === 'deny') return verdict;
  return {
    ...verdict,
    decision: 'ask',
    reason: 'rule-ask',
    message: why,
    hint: 'Wait for the answer of a person.',
    policy: { ...verdict.policy, askFallback: 'deny' },
    covered: false,
  };
}
