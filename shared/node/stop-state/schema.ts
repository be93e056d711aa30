import { compile } from '../../schema/compile.ts';
import type { LockoutState, PauseState } from './types.ts';

const common = {
  version: { const: 1 },
  reason: { type: ['string', 'null'] },
  at: { type: 'number' },
  by: { type: 'string' },
} as const;

export const checkLockout = compile<LockoutState>({
  type: 'object',
  additionalProperties: false,
  required: ['version', 'locked', 'reason', 'at', 'by'],
  properties: { ...common, locked: { type: 'boolean' } },
});

export const checkPause = compile<PauseState>({
  type: 'object',
  additionalProperties: false,
  required: ['version', 'paused', 'reason', 'at', 'by'],
  properties: { ...common, paused: { type: 'boolean' } },
});
