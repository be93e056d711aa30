import { reviewRules } from '../../../shared/engine/index.ts';
import type {
  PolicyDocument,
  ReviewCode,
  ReviewFinding,
  Rule,
} from '../../../shared/engine/index.ts';

/** Which findings of a review the table is filtered by. */
export type AdviceFilter = 'all' | 'wide' | 'unused';

const filters: Readonly<Record<ReviewCode, Exclude<AdviceFilter, 'all'>>> = {
  'too-wide': 'wide',
  'any-program': 'wide',
  everything: 'wide',
  'never-used': 'unused',
  'long-unused': 'unused',
  expired: 'unused',
};

/** What a person should look at again among the rules of one agent, by the id of the rule. */
export function adviceFor(
  document: PolicyDocument,
  agent: string,
  now: number,
): ReadonlyMap<string, readonly ReviewFinding[]> {
  const policy = document.agents?.[agent];
  const own = policy === undefined ? {} : { [agent]: policy };
  const found = new Map<string, readonly ReviewFinding[]>();
  for (const finding of reviewRules({ version: 1, agents: own }, now)) {
    found.set(finding.ruleId, [...(found.get(finding.ruleId) ?? []), finding]);
  }
  return found;
}

/** Whether a rule with these findings is shown. */
export function fitsAdvice(findings: readonly ReviewFinding[], wanted: AdviceFilter): boolean {
  return wanted === 'all' || findings.some(({ code }) => filters[code] === wanted);
}

/** Whether a rule fits a search over everything that is shown of it. */
export function fitsSearch(rule: Rule, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  if (wanted === '') return true;
  const text = [
    rule.pattern,
    ...(rule.args ?? []).flat(),
    rule.argPattern ?? '',
    rule.cwd ?? '',
    rule.note ?? '',
    rule.lastUsedCommand ?? '',
  ].join(' ');
  return text.toLowerCase().includes(wanted);
}
