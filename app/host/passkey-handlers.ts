import { randomBytes } from 'node:crypto';
import { RefusalError, refusalOf, refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import {
  challengeFor,
  challengeOfAnswer,
  isSamePerson,
  mayAnswerAlone,
} from '../../shared/engine/index.ts';
import type { Ask, Passkey } from '../../shared/engine/index.ts';
import { watchFile } from '../../shared/home/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import type { RunnerClient } from '../../shared/ipc/index.ts';
import {
  checkAssertion,
  createNonces,
  hasPassphrase,
  provePasskey,
  readPasskeys,
} from '../../shared/operations/index.ts';
import type { Answer, AppState, KnownPasskey } from '../bridge/types.ts';
import type { AskQueue } from './ask-queue.ts';
import type { CallHandlers } from './dispatch.ts';
import { unlockByPasskey } from './stop.ts';
import type { PasskeyDoor } from './types.ts';

interface PasskeyOptions {
  readonly paths: HomePaths;
  readonly uid: number;
  readonly clock: Clock;
}

/** The passkeys that there are, as pages may see them, whoever changes the file. */
export interface PasskeyWatch {
  /** None where the file is doubtful: then none counts either. */
  state(): Required<Pick<AppState, 'passkeys' | 'hasPassphrase'>>;
  dispose(): void;
}

export function watchPasskeys(
  { paths, uid, clock }: PasskeyOptions,
  onChange: () => void,
): PasskeyWatch {
  const file = { path: paths.passkeys, uid };
  let known = readKnown(file);
  const look = (): void => {
    const now = readKnown(file);
    if (JSON.stringify(now) === JSON.stringify(known)) return;
    known = now;
    onChange();
  };
  const stop = watchFile(paths.passkeys, { look, clock });
  return {
    state: () => ({
      passkeys: known,
      hasPassphrase: hasPassphrase({ path: paths.passphrase, uid }),
    }),
    dispose: stop,
  };
}

function readKnown(file: { readonly path: string; readonly uid: number }): readonly KnownPasskey[] {
  try {
    return readPasskeys(file).map(({ publicKey: _key, counter: _counter, ...shown }) => shown);
  } catch (error) {
    if (refusalOf(error) === undefined) throw error;
    return [];
  }
}

/**
 * Throws unless an answer brings the passkey that its ask wants, and that one holds: the runner would
 * give up the whole ask for it, here a person can try again. What counts is what the runner finds.
 */
export async function requireProof(
  answer: Answer,
  { asks, paths, uid, clock }: PasskeyOptions & { readonly asks: AskQueue },
): Promise<void> {
  const { assertion, decision } = answer;
  const queued = asks.state().waiting.find(({ ask }) => ask.id === answer.id);
  if (queued === undefined || decision === 'deny') return;
  if (assertion === undefined) {
    if (queued.ask.presence !== 'passkey') return;
    throw refuse(
      'confirm-rejected',
      'Only a passkey can allow this.',
      'Answer in the browser, where the settings add a passkey: the menu-bar app leads there, elsewhere "interlock ui --console".',
    );
  }
  const key = readPasskeys({ path: paths.passkeys, uid }).find(({ id }) => id === assertion.id);
  if (key === undefined)
    throw refuse('confirm-rejected', 'No passkey of this home signed this.', 'Use another one.');
  requireOwn(key, queued.ask, clock.now());
  await checkAssertion(assertion, { key, challenge: challengeOfAnswer(answer) });
}

/** Somebody else's passkey is for asks that want two people, and there each of them says yes once. */
function requireOwn(
  key: Pick<Passkey, 'person' | 'standsInUntil'>,
  { approvers = 1, answered = [] }: Ask,
  now: number,
): void {
  const { person = null }: { readonly person?: string | null } = key;
  if (approvers === 1 && !mayAnswerAlone(key, now))
    throw refuse(
      'confirm-rejected',
      'Only the owner of this home can allow this.',
      'Use a passkey of the owner.',
    );
  if (answered.some((one) => isSamePerson(one.person, person)))
    throw refuse(
      'confirm-rejected',
      `This person has said yes already; somebody else has to.`,
      'Have another person use their passkey.',
    );
}

interface HandlersOptions extends PasskeyOptions {
  readonly runner: Pick<RunnerClient, 'passkeyNonce' | 'addPasskey' | 'removePasskey' | 'handOver'>;
  readonly thenLook: <T>(work: Promise<T>) => Promise<T>;
}

/**
 * The handlers of the calls about passkeys. The runner adds and removes them, and holds the answers to
 * asks to them; a lockout is ended here, because nothing that talks to a runner may end it.
 */
export function passkeyHandlers({
  paths,
  uid,
  clock,
  runner,
  thenLook,
}: HandlersOptions): Pick<
  CallHandlers,
  'passkeyNonce' | 'addPasskey' | 'removePasskey' | 'handOver' | 'unlockWithPasskey'
> {
  const nonces = createNonces({ elapsed: () => clock.elapsed(), random: randomBytes });
  return {
    passkeyNonce: async ({ purpose }) => ({
      nonce: purpose === 'unlock' ? nonces.issue() : await runner.passkeyNonce(),
    }),
    addPasskey: async (args) => {
      await runner.addPasskey(args);
      return {};
    },
    removePasskey: async (args) => {
      await runner.removePasskey(args);
      return {};
    },
    handOver: async (args) => {
      await runner.handOver(args);
      return {};
    },
    unlockWithPasskey: async (shown) =>
      thenLook(unlockByPasskey({ paths, uid, clock, nonces }, shown)),
  };
}

/** Opens a session of a console to whoever has a passkey of this home. */
export function passkeyDoor({ paths, uid, clock }: PasskeyOptions): PasskeyDoor {
  const nonces = createNonces({ elapsed: () => clock.elapsed(), random: randomBytes });
  const file = { path: paths.passkeys, uid };
  return {
    nonce: (rpId) =>
      readKnown(file).some((key) => key.rpId === rpId && key.person === undefined)
        ? nonces.issue()
        : null,
    prove: async ({ nonce, assertion }, origin) => {
      try {
        const challenge = challengeFor(['open', nonce]);
        const how = { file, challenge, origin, now: () => clock.now() };
        await nonces.once(nonce, () => provePasskey(assertion, how));
      } catch (error) {
        if (error instanceof RefusalError) throw error;
        throw refuse(
          'host-unavailable',
          'The passkey could not be checked.',
          'Open a new link: run "interlock ui" in a terminal.',
          { cause: error },
        );
      }
    },
  };
}
