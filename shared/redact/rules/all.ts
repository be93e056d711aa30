import type { RedactionRule } from '../types.ts';
import { nameRules } from './names.ts';
import { programRules } from './programs.ts';
import { tokenRules } from './tokens.ts';
import { webRules } from './web.ts';

/**
 * What never reaches a log. Patterns are linear: what one look has read in vain no other reads again,
 * but for a bounded stretch. Order matters: shapes that tell where a secret ends come before names
 * that only announce one.
 */
export const redactionRules: readonly RedactionRule[] = [
  ...tokenRules,
  ...webRules,
  ...nameRules,
  ...programRules,
];
