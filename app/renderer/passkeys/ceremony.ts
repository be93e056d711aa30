import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { sha256 } from '../../../shared/base/index.ts';
import {
  challengeFor,
  challengeOfAnswer,
  isSamePerson,
  mayAnswerAlone,
  needsStepUp,
} from '../../../shared/engine/index.ts';
import type { Ask, Assertion, Attestation, PersonProof } from '../../../shared/engine/index.ts';
import type { Answer, AppState, BridgeCalls, KnownPasskey, QueuedAsk } from '../../bridge/types.ts';
import { call, readHostNow, useApp } from '../state/app.ts';
import { texts } from '../state/preferences.ts';
import { showBackInApp } from '../state/toast.ts';
import { useCanOpenBrowser } from './InBrowser.tsx';

/** The host name that passkeys of this page are made for; null where it can have none. */
export function ownRpId(): string | null {
  const { hostname, protocol } = location;
  const isName = protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost');
  return isName && 'PublicKeyCredential' in window && window.interlock === undefined
    ? hostname
    : null;
}

/** The same for the page in the person's browser, beside the windows of the menu-bar app. */
const browserRpId = 'localhost';

function workingAt(
  rpId: string | null,
  passkeys: readonly KnownPasskey[] = [],
): readonly KnownPasskey[] {
  return passkeys.filter((one) => one.rpId === rpId);
}

/** The owner's passkeys that work on this page. */
export function usableHere(passkeys?: readonly KnownPasskey[]): readonly KnownPasskey[] {
  return workingAt(ownRpId(), passkeys).filter(({ person }) => person === undefined);
}

/** Those of the owner that work in their browser. */
export function usableInBrowser(passkeys?: readonly KnownPasskey[]): readonly KnownPasskey[] {
  return workingAt(browserRpId, passkeys).filter(({ person }) => person === undefined);
}

type Signed = Pick<Ask, 'presence' | 'approvers' | 'answered'>;

/** The passkeys that may sign for an ask here: the owner's, or those of people who have yet to say yes. */
function signersOf(
  { approvers = 1, answered = [] }: Signed,
  passkeys: readonly KnownPasskey[] | undefined,
  rpId = ownRpId(),
): readonly KnownPasskey[] {
  const working = workingAt(rpId, passkeys);
  if (approvers === 1) return working.filter((one) => mayAnswerAlone(one, readHostNow()));
  return working.filter(
    ({ person = null }) => !answered.some((one) => isSamePerson(one.person, person)),
  );
}

function base64url(text: string): string {
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function randomId(): string {
  return base64url(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))));
}

/**
 * What a passkey of this page signs; null where the person cancelled it or took too long, which is
 * then said at the top of the page.
 *
 * @param allowed passkeys to choose from; empty: any that the authenticator finds
 */
export async function signWith(
  challenge: string,
  allowed: readonly Pick<KnownPasskey, 'id' | 'transports'>[],
): Promise<Assertion | null> {
  return told(async () => {
    const { id, response } = await startAuthentication({
      optionsJSON: {
        challenge: base64url(challenge),
        rpId: location.hostname,
        userVerification: 'required',
        allowCredentials: allowed.map((one) => ({
          id: one.id,
          type: 'public-key',
          transports: one.transports as AuthenticatorTransport[],
        })),
      },
    });
    const { clientDataJSON, authenticatorData, signature } = response;
    return { id, clientDataJSON, authenticatorData, signature };
  });
}

/** Algorithms of COSE: EdDSA, ES256, RS256. */
const algorithms = [-8, -7, -257] as const;

/** A passkey that was just made over this challenge; null where it was not, which is said at the top. */
export async function makePasskey(
  challenge: string,
  name: string,
  known: readonly KnownPasskey[],
): Promise<Attestation | null> {
  return told(async () => {
    const { id, response } = await startRegistration({
      optionsJSON: {
        challenge: base64url(challenge),
        rp: { name: 'Interlock', id: location.hostname },
        // One of its own each: an authenticator keeps one passkey for one user.
        user: { id: randomId(), name: `Interlock: ${name}`, displayName: `Interlock: ${name}` },
        pubKeyCredParams: algorithms.map((alg) => ({ alg, type: 'public-key' })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        attestation: 'none',
        excludeCredentials: known.map((one) => ({ id: one.id, type: 'public-key' })),
      },
    });
    const { clientDataJSON, attestationObject, transports = [] } = response;
    return { id, clientDataJSON, attestationObject, transports };
  });
}

async function told<T>(ceremony: () => Promise<T>): Promise<T | null> {
  try {
    return await ceremony();
  } catch (error) {
    const { passkeys } = texts();
    const isCancelled = error instanceof Error && error.name === 'NotAllowedError';
    const message = isCancelled ? passkeys.cancelled : passkeys.failed;
    useApp.getState().fail({ code: 'confirm-rejected', message, hint: passkeys.nothingDone });
    return null;
  }
}

/** What it takes to allow an ask on this page. */
export interface StepUpWays {
  readonly hold: boolean;
  readonly passkey: boolean;
  /** By a passkey, in the person's browser: this window can use none. */
  readonly browser: boolean;
}

/** The ways that an ask takes; none where it wants a passkey and none works here. */
function waysOf(
  ask: Signed & Pick<Ask, 'risk'>,
  passkeys: readonly KnownPasskey[] | undefined,
  {
    device,
    canOpenBrowser,
  }: { readonly device: AppState['device']; readonly canOpenBrowser: boolean },
): StepUpWays {
  if (device !== undefined) {
    const mayAllow =
      device.rights === 'everything' || (ask.risk.level !== 'high' && !needsStepUp(ask));
    return {
      hold: false,
      passkey: mayAllow && signersOf(ask, passkeys).length > 0,
      browser: false,
    };
  }
  const signed = ask.presence !== 'hold';
  return {
    hold: ask.presence !== 'passkey',
    passkey: signed && signersOf(ask, passkeys).length > 0,
    browser: signed && canOpenBrowser && signersOf(ask, passkeys, browserRpId).length > 0,
  };
}

/** The same for an ask on this page. */
export function useWays(ask: Parameters<typeof waysOf>[0]): StepUpWays {
  const passkeys = useApp(({ state }) => state?.passkeys);
  const device = useApp(({ state }) => state?.device);
  return waysOf(ask, passkeys, { device, canOpenBrowser: useCanOpenBrowser() });
}

/**
 * The answer with what a passkey signed for it: for the ask as it is on screen, whose digest is made
 * anew from what is shown. Null where the person cancelled it.
 */
export async function withPasskey(
  { ask, askDigest }: QueuedAsk,
  answer: Answer,
): Promise<Answer | null> {
  const { fail, state } = useApp.getState();
  const { passkeys } = texts();
  if (sha256(JSON.stringify({ type: 'ask', ask })) !== askDigest) {
    fail({ code: 'confirm-rejected', message: passkeys.otherAsk, hint: passkeys.nothingDone });
    return null;
  }
  const assertion = await signWith(challengeOfAnswer(answer), signersOf(ask, state?.passkeys));
  return assertion === null ? null : { ...answer, assertion };
}

/** How the person shows that they are one: the passphrase, or a passkey that is there already. */
export type Shown =
  { readonly passphrase: string } | { readonly passkeys: readonly KnownPasskey[] };

async function proofOf(shown: Shown, challenge: string): Promise<PersonProof | null> {
  if ('passphrase' in shown) return shown;
  const assertion = await signWith(challenge, shown.passkeys);
  return assertion === null ? null : { assertion };
}

async function nonceFor(purpose: 'change' | 'unlock'): Promise<string | null> {
  const answer = await call('passkeyNonce', { purpose });
  if (answer.ok) return answer.result.nonce;
  useApp.getState().fail(answer.refusal);
  return null;
}

async function done(answer: Awaited<ReturnType<typeof call>>): Promise<boolean> {
  useApp.getState().fail(answer.ok ? null : answer.refusal);
  return answer.ok;
}

/**
 * Makes a passkey with this name for this person, the owner where there is none, and has the runner
 * take it. False where it did not; that is said.
 */
export async function addPasskey(
  { name, person }: { readonly name: string; readonly person?: string },
  shown: Shown,
  known: readonly KnownPasskey[],
): Promise<boolean> {
  const nonce = await nonceFor('change');
  if (nonce === null) return false;
  const whose = person === undefined ? ([] as const) : ([person] as const);
  const challenge = challengeFor(['register', nonce, name, ...whose]);
  const attestation = await makePasskey(challenge, name, known);
  if (attestation === null) return false;
  const proof = await proofOf(shown, challengeFor(['change', nonce, 'add', attestation.id]));
  if (proof === null) return false;
  const whom = person !== undefined && { person };
  const added = await done(await call('addPasskey', { nonce, name, ...whom, attestation, proof }));
  if (added) showBackInApp();
  return added;
}

/** Has the runner forget a passkey. False where it did not; that is said. */
export async function removePasskey(id: string, shown: Shown): Promise<boolean> {
  const nonce = await nonceFor('change');
  if (nonce === null) return false;
  const proof = await proofOf(shown, challengeFor(['change', nonce, 'remove', id]));
  if (proof === null) return false;
  return done(await call('removePasskey', { nonce, id, proof }));
}

/** Has the runner let this person answer in the owner's place until then, or no more. */
export async function handOver(
  { person, until }: { readonly person: string; readonly until: number | null },
  shown: Shown,
): Promise<boolean> {
  const nonce = await nonceFor('change');
  if (nonce === null) return false;
  const proof = await proofOf(shown, challengeFor(['hand-over', nonce, person, until]));
  if (proof === null) return false;
  return done(await call('handOver', { nonce, person, until, proof }));
}

/**
 * What shows that the owner agrees to a device of another person; null where it was cancelled, or the
 * runner does not answer, which is then said.
 */
export async function agreeTo(
  { name, person }: { readonly name: string; readonly person: string },
  shown: Shown,
): Promise<NonNullable<BridgeCalls['inviteDevice']['args']['agreed']> | null> {
  const nonce = await nonceFor('change');
  if (nonce === null) return null;
  const proof = await proofOf(shown, challengeFor(['invite', nonce, name, person]));
  return proof === null ? null : { nonce, person, proof };
}

/** Ends the lockout. False where it did not; that is said. */
export async function unlockWithPasskey(
  passkeys: readonly KnownPasskey[],
  agents: boolean,
): Promise<boolean> {
  const nonce = await nonceFor('unlock');
  if (nonce === null) return false;
  const assertion = await signWith(challengeFor(['unlock', nonce]), passkeys);
  if (assertion === null) return false;
  const opened = await done(await call('unlockWithPasskey', { nonce, assertion, agents }));
  if (opened) showBackInApp();
  return opened;
}
