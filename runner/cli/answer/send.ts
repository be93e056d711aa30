import type { AnswerRequest, PendingAsk } from '../../../shared/api/types.ts';
import { signAnswer } from '../../../shared/node/answers/mac.ts';
import type { HomePaths } from '../../../shared/node/home/paths.ts';
import { readPolicyFile } from '../../../shared/node/policy-file/read.ts';
import type { RunnerClient } from '../../../shared/node/runner-client/types.ts';
import { RefusalError, refuse } from '../../../shared/refusal/refusal.ts';
import type { Io } from '../io.ts';

export interface SendOptions {
  readonly client: Pick<RunnerClient, 'answer'>;
  readonly paths: HomePaths;
  readonly io: Io;
}

/** Signs an answer with the token of the policy file and hands it to the runner. */
export async function sendAnswer(
  { ask, askDigest }: PendingAsk,
  answer: Pick<AnswerRequest, 'decision' | 'remember' | 'note'>,
  { client, paths, io }: SendOptions,
): Promise<void> {
  const token = tokenOf(paths);
  const body = signAnswer({ token, askId: ask.id, now: io.now }, { ...answer, askDigest });
  await client.answer(ask.id, body);
}

function tokenOf(paths: HomePaths): string {
  const file = readPolicyFile(paths.policy, { uid: process.getuid?.() ?? -1 });
  if (!file.ok) throw new RefusalError(file.problem);
  const token = file.document.socket?.token;
  if (token === undefined)
    throw refuse(
      'config-invalid',
      `${paths.policy} has no socket token, so no answer can be signed.`,
      'Run "interlock init" in a fresh INTERLOCK_HOME, or add socket.token (32 random bytes, base64url).',
    );
  return token;
}
