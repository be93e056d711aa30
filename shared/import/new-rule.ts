import type { Rule } from '../policy/types.ts';

/** A rule that has no id yet. */
export type NewRule = Omit<Rule, 'id'>;
