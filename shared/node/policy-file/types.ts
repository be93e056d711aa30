import type { PolicyDocument } from '../../policy/types.ts';
import type { Refusal } from '../../refusal/refusal.ts';

/** The policy file as it stands on disk. */
export type PolicyFile =
  | {
      readonly ok: true;
      readonly document: PolicyDocument;
      /** sha256 (hex) of the raw text; the `baseHash` of a write. */
      readonly hash: string;
    }
  | {
      readonly ok: false;
      /** `config-invalid`: everything is denied while this holds. */
      readonly problem: Refusal;
      /** Null when the file is missing or may not be read. */
      readonly hash: string | null;
      readonly missing: boolean;
    };

/** More is no policy that a person wrote; 10,000 rules take about 3 MB. */
export const maxPolicyBytes = 8 * 1024 * 1024;
