// @ts-check
import { tryFreshClone } from './lib/fresh-clone.mjs';
import { exitCodeOfOutcome } from './lib/summary.mjs';

process.exitCode = exitCodeOfOutcome(
  await tryFreshClone({ keepBuild: process.argv.includes('--keep-build') }),
);
