import { previewOf } from '../../shared/import/preview.ts';
import { readRules } from '../../shared/import/read.ts';
import type { PolicyDocument, Rule } from '../../shared/policy/types.ts';
import { refuse } from '../../shared/refusal/refusal.ts';
import { failedExamples } from '../../shared/rules/examples.ts';
import type { BridgeCalls } from '../bridge/types.ts';
import type { CallHandlers } from './handle.ts';
import type { PolicyDesk } from './policy-desk.ts';
import type { Simulator } from './simulator.ts';
import type { Tester } from './tester.ts';

export interface RuleHandlersOptions {
  readonly policy: Pick<PolicyDesk, 'document'>;
  readonly simulator: Simulator;
  readonly tester: Pick<Tester, 'examples'>;
}

/** The work behind the calls about rules. None of them changes anything. */
export function ruleHandlers({
  policy,
  simulator,
  tester,
}: RuleHandlersOptions): Pick<
  CallHandlers,
  'importRules' | 'simulate' | 'effectOf' | 'suggestRule'
> {
  const withDocument = <T extends { readonly document?: PolicyDocument }>(args: T) => ({
    ...args,
    document: args.document ?? policy.document(),
  });
  return {
    importRules: async (args) => importPreview(args, withDocument(args).document, tester),
    simulate: (args) => simulator.simulate(withDocument(args)),
    effectOf: (args) => simulator.effectOf(withDocument(args)),
    suggestRule: (args) => simulator.suggest(withDocument(args)),
  };
}

async function importPreview(
  { text, format, agent, folder }: BridgeCalls['importRules']['args'],
  document: PolicyDocument | null,
  tester: RuleHandlersOptions['tester'],
): Promise<BridgeCalls['importRules']['result']> {
  const parsed = readRules(text, { format, agent, folder });
  if (!parsed.ok)
    throw refuse('invalid-request', parsed.error, 'Choose another file, or say who wrote it.');
  const around = await tester.examples();
  const check = (rule: Rule): readonly string[] => failedExamples(rule, around);
  return previewOf(parsed.imported, { document, check });
}
