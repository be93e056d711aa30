import { RefusalError } from '../../shared/refusal/refusal.ts';
import type { PolicyView } from '../bridge/types.ts';

/** An edit was made from a policy that is not the file's any more. Nothing was written. */
export class PolicyConflictError extends RefusalError {
  /** The file as it is now, for merging the edit into it. */
  readonly current: PolicyView;

  constructor(current: PolicyView) {
    super({
      code: 'binding-drift',
      message: 'The policy was changed by somebody else while you edited it.',
      hint: 'Look at what changed, and save your edit on top of it.',
    });
    this.name = 'PolicyConflictError';
    this.current = current;
  }
}
