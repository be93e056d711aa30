import { RefusalError, refuse } from '../../shared/base/index.ts';
import { offerOf } from '../../shared/engine/index.ts';
import type { Ask, Remember } from '../../shared/engine/index.ts';
import type { Home } from '../../shared/home/index.ts';
import { signAnswer } from '../../shared/ipc/index.ts';
import type { RunnerClient } from '../../shared/ipc/index.ts';
import type { AnswerRequest, PendingAsk } from '../../shared/wire/index.ts';
import { CliError } from './failure.ts';
import type { Io } from './io.ts';

/** The ask that waits under this id, or under an id that begins with it when only one does. */
export async function findAsk(
  client: Pick<RunnerClient, 'pending'>,
  id: string,
): Promise<PendingAsk> {
  const waiting = await client.pending();
  const exact = waiting.find(({ ask }) => ask.id === id);
  if (exact !== undefined) return exact;
  const alike = waiting.filter(({ ask }) => id !== '' && ask.id.startsWith(id));
  const [only, ...others] = alike;
  if (only === undefined)
    throw new CliError(
      `Nothing waits under the id "${id}".`,
      'It may have been answered or expired. "interlock pending" lists what waits.',
    );
  if (others.length > 0)
    throw new CliError(
      `"${id}" is the beginning of ${String(alike.length)} ids.`,
      'Write more of it. "interlock pending" lists what waits.',
    );
  return only;
}

interface SendOptions {
  readonly client: Pick<RunnerClient, 'answer'>;
  readonly home: Home;
  readonly io: Io;
}

/** Signs an answer with the token of the policy file and hands it to the runner. */
export async function sendAnswer(
  { ask, askDigest }: PendingAsk,
  answer: Pick<AnswerRequest, 'decision' | 'remember' | 'note'>,
  { client, home, io }: SendOptions,
): Promise<void> {
  const token = await tokenOf(home);
  const body = signAnswer({ token, askId: ask.id, now: io.now }, { ...answer, askDigest });
  await client.answer(ask.id, body);
}

async function tokenOf(home: Home): Promise<string> {
  const file = home.readPolicy();
  if (!file.ok) throw new RefusalError(file.problem);
  const token = await home.tokens()();
  if (token === null)
    throw refuse(
      'config-invalid',
      `${home.policy} has no socket token, so no answer can be signed.`,
      'Run "interlock init" in a fresh INTERLOCK_HOME, or add socket.token (32 random bytes, base64url).',
    );
  return token;
}

export interface RememberOptions {
  /** One of the scopes that the ask offers. */
  readonly always?: string;
  /** One of the grant durations. */
  readonly for?: string;
  readonly everyAgent?: boolean;
}

/** What `--always` and `--for` ask to be remembered, or null for this once. Throws when it is not on offer. */
export function rememberOf(ask: Ask, options: RememberOptions): Remember | null {
  const { durations, proposals } = offerOf(ask);
  if (options.everyAgent === true && (options.always === undefined || ask.everyAgent !== true))
    throw new CliError(
      'Only an "always" can be given for every agent, and not for each ask.',
      'Write --always as well, or leave --every-agent out.',
    );
  if (options.for === undefined && options.always === undefined) return null;
  const wanted = options.for ?? 'always';
  if (wanted === 'once') return null;
  const duration = durations.find((offered) => offered === wanted);
  if (duration === undefined)
    throw new CliError(
      `This command cannot be allowed for "${wanted}".`,
      `Possible here: ${['once', ...durations].join(', ')}.`,
    );
  const scope = options.always ?? 'exact';
  const proposal = proposals.find((candidate) => candidate.scope === scope);
  if (proposal === undefined)
    throw new CliError(
      `"${scope}" is not on offer for this command.`,
      `On offer: ${proposals.map((offer) => offer.scope).join(', ')}.`,
    );
  if (options.everyAgent === true && duration !== 'always')
    throw new CliError(
      'What holds for a while holds for the agent that asks.',
      'Leave --for or --every-agent out.',
    );
  const whom = options.everyAgent === true ? { everyAgent: true } : {};
  return { duration, proposalId: proposal.id, ...whom };
}

/** What a lasting "no" writes. Throws where the ask offers none. */
export function neverOf({ never }: Pick<Ask, 'never'>): Remember {
  if (never !== undefined) return { duration: 'always', proposalId: never.id };
  throw new CliError(
    'A "no" to this is not remembered: only one to a host is.',
    'Deny it without --always, or write a rule: interlock approvals deny.',
  );
}
