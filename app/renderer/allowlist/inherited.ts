import type { PolicyDocument } from '../../../shared/policy/types.ts';

const builtIn = { security: 'deny', ask: 'on-miss', askFallback: 'deny' } as const;

/** The mode that holds where an agent does not set it: the wildcard's, the defaults', the built-in. */
export function inheritedMode(
  document: PolicyDocument,
  agent: string,
  field: keyof typeof builtIn,
): string {
  const everyone = agent === '*' ? undefined : document.agents?.['*']?.[field];
  return everyone ?? document.defaults?.[field] ?? builtIn[field];
}
