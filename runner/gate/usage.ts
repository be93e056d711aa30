import type { Dossier } from './dossier.ts';
import type { GatePorts } from './ports.ts';

/** Tells the policy which rules have decided, for "last used" in the allowlist editor. */
export function noteUse(
  { at, matched, understood }: Dossier,
  { policy }: Pick<GatePorts, 'policy'>,
): void {
  if (matched === null || understood === null) return;
  const { analysis, text } = understood;
  const stages = analysis.ok ? analysis.plan.stages : analysis.stages;
  for (const { stage, rule } of matched.verdict.matches) {
    if (rule === null || rule.source === 'grant') continue;
    const executable = stages[stage]?.executable;
    policy.used({
      ruleId: rule.id,
      at,
      command: text,
      resolvedPath: executable?.kind === 'file' ? executable.realPath : null,
    });
  }
}
