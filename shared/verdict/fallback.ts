import type { Verdict } from './types.ts';

/** What a policy makes of an ask that nobody can answer. */
export interface Fallback {
  readonly decision: 'allow' | 'deny';
  readonly message: string;
}

/**
 * What `askFallback` decides when a verdict says `ask` and no approver can be reached: `deny`
 * refuses; `allowlist` runs what rules cover in full; `full` runs all that no rule holds back, so not
 * what a rule wants asked, and nothing in which a denied program could hide.
 */
export function fallBack(verdict: Verdict): Fallback {
  if (verdict.decision !== 'ask') {
    return { decision: verdict.decision, message: verdict.message };
  }
  const { askFallback } = verdict.policy;
  if (askFallback === 'deny') return denied('the policy then denies');
  const held = verdict.matches.some(({ effect }) => effect === 'deny' || effect === 'ask');
  if (held) return denied('a rule wants a person to be asked');
  if (askFallback === 'allowlist') {
    return verdict.covered ? allowed('rules allow it') : denied('no rule allows it');
  }
  const holdsBack = verdict.policy.rules.some(
    ({ effect }) => effect === 'deny' || effect === 'ask',
  );
  if (!verdict.analysis.ok && holdsBack) return denied('a denied program could hide in it');
  return allowed('the policy then allows');
}

function denied(why: string): Fallback {
  return { decision: 'deny', message: `Nobody can be asked, and ${why}.` };
}

function allowed(why: string): Fallback {
  return { decision: 'allow', message: `Nobody can be asked, and ${why}.` };
}
