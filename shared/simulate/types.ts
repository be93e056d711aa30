import type { CheckBody } from '../api/types.ts';
import type { Proposal } from '../ask/types.ts';
import type { Rule } from '../policy/types.ts';

/** What would happen to a command, which rule decides, and what would change that. */
export interface Simulation {
  readonly check: CheckBody;
  /** What happens when nobody can be asked, as a sentence with its decision; null where nobody would be. */
  readonly fallback: { readonly decision: 'allow' | 'deny'; readonly message: string } | null;
  /** The rule that decides, where a single one does. */
  readonly deciding: Rule | null;
  /** Why each stage is covered or not, in order. */
  readonly stages: readonly { readonly ruleId: string | null; readonly why: string }[];
  /** Rules to add so that it runs unasked, from narrow to wide. */
  readonly toAllow: readonly Proposal[];
}

/** What rules would have done to past commands. */
export interface SimulatedEffect {
  readonly nowAllowed: readonly string[];
  readonly nowDenied: readonly string[];
  readonly nowAsked: readonly string[];
  /** How many past commands were looked at. */
  readonly looked: number;
}

/** Rules to choose from, made from a command of the history. */
export interface RuleSuggestion {
  /** From narrow to wide; empty when no rule should be made of it. */
  readonly proposals: readonly Proposal[];
  /** Why there are none, as a sentence; null when there are. */
  readonly why: string | null;
}
