import type { Analysis, CommandRequest, Surroundings } from '../analysis/types.ts';
import type { EffectivePolicy, RequestKind } from '../policy/types.ts';

/** Everything a verdict depends on. Nothing else is looked at: the same input, the same verdict. */
export interface DecideInput {
  readonly policy: EffectivePolicy;
  readonly analysis: Analysis;
  readonly request: CommandRequest;
  /** Absent means `exec`. */
  readonly kind?: RequestKind;
  /** The host on which it is to run, after routing. */
  readonly host: string;
  /** Milliseconds since the epoch, for rules that expire. */
  readonly now: number;
  readonly platform: Surroundings['platform'];
  /** Absolute home directory, for `~` in rules. */
  readonly home: string;
  /** sha256 (hex) of a file's content, or null when it cannot be read. Called only where a rule needs it. */
  readonly hashFile: (path: string) => string | null;
}
