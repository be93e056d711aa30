import type { EffectivePolicy } from '../../shared/policy/types.ts';
import { decide } from '../../shared/verdict/decide.ts';
import type { DecideInput } from '../../shared/verdict/input.ts';
import type { Verdict } from '../../shared/verdict/types.ts';
import { refuse } from '../../shared/refusal/refusal.ts';
import { hashFile } from '../binding/file-identity.ts';
import type { GatePorts } from './ports.ts';
import type { Incoming, Target, Understood } from './types.ts';

/** What the rules are held against. */
export interface MatchSubject {
  readonly incoming: Incoming;
  readonly policy: EffectivePolicy;
  readonly understood: Understood;
  readonly target: Target;
}

/** Everything that the verdict depends on. */
export function decideInput(
  { incoming, policy, understood, target }: MatchSubject,
  { clock, surroundings }: Pick<GatePorts, 'clock' | 'surroundings'>,
): DecideInput {
  const { platform, home } = surroundings();
  return {
    policy,
    analysis: understood.analysis,
    request: understood.command,
    kind: incoming.kind,
    host: target.host.name,
    now: clock.now(),
    platform,
    home,
    hashFile,
  };
}

/** Holds every stage against the rules. */
export function match(input: DecideInput): Verdict {
  return decide(input);
}

/** Throws `policy-deny` when the rules have said no. */
export function requireNotDenied(verdict: Verdict): void {
  if (verdict.decision === 'deny') throw refuse('policy-deny', verdict.message, verdict.hint);
}
