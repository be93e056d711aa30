import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isStanding, proveAnswer } from '../../../runner/approvals/passkeys.ts';
import { signedAnswers } from '../../../runner/audit/signed-answers.ts';
import { answersOf } from '../../../runner/gate/answers.ts';
import type { AskEnding } from '../../../runner/gate/ports.ts';
import { challengeFor, challengeOfAnswer } from '../../../shared/engine/index.ts';
import { changePasskeys, readAttestation, readPasskeys } from '../../../shared/operations/index.ts';
import { softAuthenticator } from '../../support/authenticator.ts';
import type { Authenticator } from '../../support/authenticator.ts';
import { asking, desk, draft } from './support.ts';

const now = (): number => 1_700_000_000_000;
let directory: string;
let file: { readonly path: string; readonly uid: number };
let place: ReturnType<typeof desk>;
let owner: Authenticator;
let ownersPhone: Authenticator;
let ben: Authenticator;
/** By a name that a reader takes for the same. */
let alike: Authenticator;
/** Whether the phone of Ben is still there. */
let isPaired: boolean;

async function known(name: string, person?: string): Promise<Authenticator> {
  const made = softAuthenticator();
  const challenge = challengeFor(['register', 'n', name]);
  const how = { challenge, name, person, rpIds: ['localhost'], now };
  const key = await readAttestation(made.attest(challenge), how);
  await changePasskeys(file, (before) => [...before, key]);
  return made;
}

beforeEach(async () => {
  isPaired = true;
  directory = mkdtempSync(join(tmpdir(), 'interlock-two-'));
  file = { path: join(directory, 'passkeys.json'), uid: process.geteuid?.() ?? 0 };
  owner = await known('laptop');
  ownersPhone = await known('phone');
  ben = await known('blue', 'Ben');
  alike = await known('green', 'B\u0435n\u200b');
  place = desk({
    prove: async (ask, decision) => proveAnswer(ask, decision, { file, now, hasDevice }),
    stands: (proof) => isStanding(proof, { file, hasDevice }),
  });
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const hasDevice = ({ id }: { readonly id: string }): boolean => isPaired || id !== ben.id;

/** Puts the ask; each step answers what is then shown. */
async function put(...steps: readonly (() => void | Promise<void>)[]): Promise<AskEnding> {
  const ending = place.approver.ask({ ...draft('a1'), approvers: 2 }, asking(undefined, 5_000));
  for (const [index, step] of steps.entries()) {
    await place.shown(index + 1);
    await step();
  }
  return ending;
}
const shown = () => place.asked.at(-1) as (typeof place.asked)[number];
const yesOf = (who: Authenticator) => (): void => {
  const { ask, digest: askDigest } = shown();
  const yes = { id: ask.id, askDigest, decision: 'allow-once' } as const;
  place.session().decide({ ...yes, assertion: who.sign(challengeOfAnswer(yes)) });
};
const no = (): void => {
  const { ask, digest: askDigest } = shown();
  place.session().decide({ id: ask.id, askDigest, decision: 'deny' });
};
const late = (): void => place.clock.advance(5_000);

describe('an ask that two people have to allow', () => {
  it('is allowed by two, and whoever is second sees and signs who was first', async () => {
    const ending = await put(yesOf(ben), yesOf(owner));
    expect(ending).toMatchObject({ kind: 'decided', decision: { decision: 'allow-once' } });
    expect(answersOf(ending)).toEqual([
      { said: 'yes', via: 'app', person: 'Ben', passkey: 'blue' },
      { said: 'yes', via: 'app', person: null, passkey: 'laptop' },
    ]);
    const [first, second] = place.asked;
    expect(first?.ask).toMatchObject({ id: 'a1', presence: 'passkey', approvers: 2 });
    expect(first?.ask.answered).toBeUndefined();
    expect(second?.ask).toMatchObject({ answered: [{ person: 'Ben', passkey: 'blue' }] });
    expect(second?.ask.expiresAt).toBe(first?.ask.expiresAt);
    expect(place.pending.list()).toEqual([]);
  });

  it.each<[string, () => readonly (() => void)[], AskEnding['kind']]>([
    ['one person with two passkeys', () => [yesOf(owner), yesOf(ownersPhone)], 'lost'],
    ['two names that read alike', () => [yesOf(ben), yesOf(alike)], 'lost'],
    ['one passkey twice', () => [yesOf(ben), yesOf(ben)], 'lost'],
    ['one person alone', () => [yesOf(owner), late], 'expired'],
    ['nobody', () => [late], 'expired'],
    ['a yes and a no', () => [yesOf(owner), no], 'decided'],
    ['a no', () => [no], 'decided'],
    ['a stranger', () => [yesOf(owner), yesOf(softAuthenticator())], 'lost'],
  ])('is not allowed by %s', async (_who, steps, kind) => {
    const ending = await put(...steps());
    expect(ending.kind).toBe(kind);
    if (ending.kind === 'decided') expect(ending.decision.decision).toBe('deny');
    expect(answersOf(ending).filter(({ said }) => said === 'yes').length).toBeLessThan(2);
  });

  it('is allowed by somebody whom the owner has added while it waits', async () => {
    const eve = async (): Promise<void> => yesOf(await known('red', 'Eve'))();
    expect(await put(yesOf(ben), eve)).toMatchObject({ kind: 'decided' });
  });

  it('is not allowed by a yes that nobody has signed, at the page or a terminal', async () => {
    const unsigned = (): void => {
      const { ask, digest: askDigest } = shown();
      place.session().decide({ id: ask.id, askDigest, decision: 'allow-once' });
    };
    expect(await put(unsigned)).toMatchObject({ kind: 'lost' });
  });

  it('wants one more where the passkey of the first was removed before the second said yes', async () => {
    const remove = async (): Promise<void> => {
      await changePasskeys(file, (before) => before.filter(({ id }) => id !== ben.id));
      yesOf(owner)();
    };
    const ending = await put(yesOf(ben), remove, late);
    expect(ending).toMatchObject({ kind: 'expired' });
    expect(shown().ask.answered).toMatchObject([{ person: null }]);
  });

  it('wants one more where the device of the first was revoked before the second said yes', async () => {
    const revoke = (): void => {
      isPaired = false;
      yesOf(owner)();
    };
    const ending = await put(yesOf(ben), revoke, late);
    expect(ending).toMatchObject({ kind: 'expired' });
    expect(shown().ask.answered).toMatchObject([{ person: null }]);
    const yes = { id: 'a2', askDigest: 'd'.repeat(64), decision: 'allow-once' } as const;
    const signed = { ...yes, assertion: ben.sign(challengeOfAnswer(yes)) };
    const how = { file, now, hasDevice };
    await expect(proveAnswer({ approvers: 2 }, signed, how)).rejects.toThrow();
  });

  it('is given up where the app goes away between the two, and nothing falls back', async () => {
    const ending = place.approver.ask({ ...draft('a1'), approvers: 2 }, asking());
    await place.shown(1);
    yesOf(ben)();
    await place.shown(2);
    place.leave();
    place.crash();
    const ended = await ending;
    expect(ended.kind).toBe('lost');
    expect(answersOf(ended)).toMatchObject([{ person: 'Ben' }]);
  });
});

describe('the passkey of another person', () => {
  it('allows nothing alone', async () => {
    const yes = { id: 'a1', askDigest: 'd'.repeat(64), decision: 'allow-once' } as const;
    const signed = { ...yes, assertion: ben.sign(challengeOfAnswer(yes)) };
    for (const presence of ['passkey', 'hold'] as const)
      await expect(
        proveAnswer({ presence }, signed, { file, now, hasDevice: () => true }),
      ).rejects.toMatchObject({
        refusal: { code: 'confirm-rejected' },
      });
  });
});

describe('the record of two answers', () => {
  const keys = () =>
    readPasskeys(file).map(({ id, publicKey, rpId, name, person }) => ({
      type: 'note',
      at: 1,
      code: 'passkey-added',
      text: '',
      passkey: {
        id,
        publicKey,
        rpId,
        name,
        ...(person !== undefined && { person }),
        change: 'added',
      },
    }));
  const rowOf = (ending: AskEnding): object => ({
    type: 'decision',
    id: 'a1',
    at: 2,
    code: 'allow-once',
    decision: 'allow',
    by: 'person',
    approvers: 2,
    earlier: ending.earlier,
    ...(ending.kind === 'decided' && { proof: ending.proof }),
  });
  const problems = async (row: object) => {
    const walk = signedAnswers<number>();
    for (const [at, one] of [...keys(), row].entries()) walk.row(JSON.stringify(one), at);
    return (await walk.problems(true)).map(({ text }) => text);
  };

  it('is checked by the record alone: both signatures, and that they are of two people', async () => {
    const row = rowOf(await put(yesOf(ben), yesOf(owner)));
    expect(await problems(row)).toEqual([]);
    expect(await problems({ ...row, earlier: [] })).toHaveLength(1);
    expect(await problems({ ...row, id: 'a2' })).toHaveLength(2);
    const [earlier = {}] = (row as { readonly earlier: readonly object[] }).earlier;
    expect(await problems({ ...row, earlier: [{ ...earlier, person: 'Eve' }] })).toHaveLength(1);
    expect(
      await problems({ ...row, earlier: [{ ...earlier, askDigest: '0'.repeat(64) }] }),
    ).toHaveLength(1);
  });
});
