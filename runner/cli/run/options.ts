import type { AskMode, Security } from '../../../shared/policy/types.ts';

/** The flags of `interlock run` as commander hands them over. */
export interface RunOptions {
  readonly command?: string;
  readonly ticket?: string;
  readonly agent?: string;
  readonly key?: string;
  readonly session?: string;
  readonly host?: string;
  readonly node?: string;
  readonly security?: Security;
  readonly ask?: AskMode;
  readonly cwd?: string;
  readonly timeout?: string;
  readonly reason?: string;
  readonly stdin?: boolean;
  readonly env?: readonly string[];
  readonly passEnv?: readonly string[];
  readonly json?: boolean;
  readonly verbose?: boolean;
}
