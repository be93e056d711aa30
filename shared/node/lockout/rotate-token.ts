import { randomBytes } from 'node:crypto';
import { refusalOf } from '../../refusal/refusal.ts';
import type { HomePaths } from '../home/paths.ts';
import { readPolicyFile } from '../policy-file/read.ts';
import { writePolicyFile } from '../policy-file/write.ts';

/** What became of the approvals token. */
export type TokenRotation =
  | { readonly rotated: true }
  /** Why not, as a sentence. The lock holds all the same. */
  | { readonly rotated: false; readonly why: string };

const attempts = 20;

/**
 * Gives the approvals socket a new token, so that an approver has to prove itself anew. Whatever
 * others write meanwhile stays: theirs is read and only the token is changed. Never throws.
 */
export async function rotateToken(
  paths: Pick<HomePaths, 'policy'>,
  uid: number,
): Promise<TokenRotation> {
  for (let left = attempts; ; left -= 1) {
    const file = readPolicyFile(paths.policy, { uid, keepLastGood: false });
    if (!file.ok) return { rotated: false, why: file.problem.message };
    const { socket } = file.document;
    if (socket === undefined) return { rotated: false, why: 'The policy names no token.' };
    const token = randomBytes(32).toString('base64url');
    const document = { ...file.document, socket: { ...socket, token } };
    try {
      await writePolicyFile(paths.policy, document, { uid, baseHash: file.hash });
      return { rotated: true };
    } catch (error) {
      if (left > 1 && refusalOf(error)?.code === 'binding-drift') continue;
      return { rotated: false, why: error instanceof Error ? error.message : String(error) };
    }
  }
}
