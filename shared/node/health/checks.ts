import {
  approverCheck,
  fileModesCheck,
  homeCheck,
  runnerCheck,
  socketsCheck,
} from './home-checks.ts';
import {
  electronCheck,
  grammarCheck,
  nodeCheck,
  peerCheck,
  secretStoreCheck,
  shellCheck,
} from './machine-checks.ts';
import { configCheck, isolationCheck, policyCheck, stopCheck } from './policy-checks.ts';
import type { Check } from './types.ts';

/** Every check, in the order in which a person reads them. */
export const checks: readonly Check[] = [
  homeCheck,
  fileModesCheck,
  policyCheck,
  configCheck,
  stopCheck,
  runnerCheck,
  approverCheck,
  socketsCheck,
  isolationCheck,
  peerCheck,
  grammarCheck,
  shellCheck,
  secretStoreCheck,
  electronCheck,
  nodeCheck,
];
