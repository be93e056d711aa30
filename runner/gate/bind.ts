import { refuse } from '../../shared/base/index.ts';
import type { Analysis, Verdict } from '../../shared/engine/index.ts';
import { hashFile } from '../../shared/home/index.ts';
import { analyseAgain } from './analyse.ts';
import { bindingOf, requireSame } from './binding.ts';
import type { Binding } from './binding.ts';
import type { GatePorts } from './ports.ts';
import type { Analysed, Decided, Understood } from './request-context.ts';

/** Takes down what the decision is about. Contents are hashed where a person may take a while. */
export function snapshot(
  { identity, target, understood }: Pick<Analysed, 'identity' | 'target' | 'understood'>,
  { hashed }: { readonly hashed: boolean },
): Binding {
  return bindingOf({
    host: target.host.name,
    agent: identity.agent,
    request: understood.command,
    analysis: understood.analysis,
    hashed,
  });
}

/**
 * Looks at everything anew, and answers what it saw; throws `binding-drift` when it is no longer what
 * was decided about.
 */
export async function bind(
  decided: Decided,
  ports: Pick<GatePorts, 'engine'>,
): Promise<Understood> {
  const { binding, identity, target } = decided;
  const understood = await analyseAgain(decided, ports);
  const hashed = binding.files.some((file) => file.sha256 !== null);
  requireSame(binding, snapshot({ identity, target, understood }, { hashed }));
  requireSameRecipes(decided.understood.analysis, understood.analysis);
  return understood;
}

/** Throws `binding-drift` when a script of a `package.json` that is run no longer reads as it did. */
function requireSameRecipes(before: Analysis, now: Analysis): void {
  const digests = (analysis: Analysis): readonly (string | null)[] =>
    analysis.ok ? analysis.plan.stages.map(({ recipe }) => recipe?.digest ?? null) : [];
  const seen = digests(now);
  const at = digests(before).findIndex((digest, index) => digest !== (seen[index] ?? null));
  if (at === -1) return;
  throw refuse(
    'binding-drift',
    'A script of package.json changed between the decision and the start.',
    'Nothing was run. Look at what changed, then ask again.',
  );
}

/**
 * Throws `binding-drift` when a file is no longer the one whose hash a rule names. The rules were
 * asked before the binding was taken down, so nothing else says that both saw the same file.
 */
export function requireContents({ analysis, matches }: Verdict): void {
  const stages = analysis.ok ? analysis.plan.stages : [];
  for (const { stage: index, rule, effect } of matches) {
    const stage = stages[index];
    if (effect !== 'allow' || rule?.sha256 === undefined || stage?.executable.kind !== 'file')
      continue;
    const path = stage.script ?? stage.executable.realPath;
    if (hashFile(path) === rule.sha256) continue;
    throw refuse(
      'binding-drift',
      `The file ${path} changed between the decision and the start.`,
      'Nothing was run. Look at what changed, then ask again.',
    );
  }
}
