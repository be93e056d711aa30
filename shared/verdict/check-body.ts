import type { Stage } from '../analysis/types.ts';
import type { CheckBody } from '../api/types.ts';
import type { Verdict } from './types.ts';

export interface CheckBodyOptions {
  readonly host: string;
  readonly id?: string | number | undefined;
}

/** A verdict as `interlock check` and `POST /v1/check` answer it. */
export function checkBody(verdict: Verdict, options: CheckBodyOptions): CheckBody {
  const { analysis, policy, risk } = verdict;
  const stages = analysis.ok ? analysis.plan.stages : analysis.stages;
  return {
    ...(options.id === undefined ? {} : { id: options.id }),
    verdict: verdict.decision,
    reason: verdict.reason,
    message: verdict.message,
    host: options.host,
    security: policy.security,
    ask: policy.ask,
    analysis: {
      ok: analysis.ok,
      reason: analysis.ok ? null : analysis.reason,
      stages: stages.map((stage, index) => ({
        argv: stage.argv,
        resolvedPath: resolvedPath(stage),
        ruleId: verdict.matches.find((match) => match.stage === index)?.rule?.id ?? null,
        via: stage.via,
      })),
    },
    risk: {
      level: risk.level,
      findings: risk.findings.map(({ code, text }) => ({ code, text })),
    },
    canonical: analysis.ok ? analysis.plan.canonical : null,
  };
}

/** Real path of the program of a stage, or null for builtins and programs that are not there. */
export function resolvedPath({ executable }: Stage): string | null {
  return executable.kind === 'file' ? executable.realPath : null;
}
