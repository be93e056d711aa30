import type { Span } from '../analysis/types.ts';

export const riskCodes = [
  'recursive-delete',
  'force-push',
  'history-rewrite',
  'pipe-to-shell',
  'credential-path',
  'privilege',
  'persistence',
  'disk-write',
  'mass-permissions',
  'data-leaving',
  'package-install',
  'production-target',
  'loader-variable',
  'hidden-characters',
  'inline-code',
  'stops-programs',
  'data-loss',
] as const;
export type RiskCode = (typeof riskCodes)[number];

/** One thing a person should know before saying yes. */
export interface RiskFinding {
  readonly code: RiskCode;
  readonly level: 'low' | 'high';
  /** In words a person understands: "Deletes everything below /home/me/src". */
  readonly text: string;
  /** The words of the command that caused it. */
  readonly spans: readonly Span[];
}

/** Findings never allow anything; `high` forbids "always" and asks for a step-up. */
export interface Risk {
  readonly level: 'none' | 'low' | 'high';
  readonly findings: readonly RiskFinding[];
}
