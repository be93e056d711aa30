import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proveAnswer } from '../../../runner/approvals/passkeys.ts';
import { signedAnswers } from '../../../runner/audit/signed-answers.ts';
import type { DecisionRow, NoteRow } from '../../../runner/audit/rows.ts';
import { refuse } from '../../../shared/base/index.ts';
import { challengeFor, challengeOfAnswer } from '../../../shared/engine/index.ts';
import type { Decision, Passkey } from '../../../shared/engine/index.ts';
import { changePasskeys, readAttestation } from '../../../shared/operations/index.ts';
import { softAuthenticator } from '../../support/authenticator.ts';
import type { Authenticator } from '../../support/authenticator.ts';
import { asking, desk, draft } from './support.ts';

const now = (): number => 1_700_000_000_000;
let directory: string;
let file: { readonly path: string; readonly uid: number };
let own: Authenticator;
let key: Passkey;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'interlock-signed-'));
  file = { path: join(directory, 'passkeys.json'), uid: process.geteuid?.() ?? 0 };
  own = softAuthenticator();
  const challenge = challengeFor(['register', 'n', 'laptop']);
  const how = { challenge, name: 'laptop', rpIds: ['localhost'], now };
  key = await readAttestation(own.attest(challenge), how);
  await changePasskeys(file, () => [key]);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const yes: Decision = { id: 'a1', askDigest: 'd'.repeat(64), decision: 'allow-once' };
const signed = (decision: Decision = yes): Decision => ({
  ...decision,
  assertion: own.sign(challengeOfAnswer(decision)),
});
const prove = async (decision: Decision, presence?: 'passkey' | 'hold' | 'either') =>
  proveAnswer(presence === undefined ? {} : { presence }, decision, {
    file,
    now,
    hasDevice: () => true,
  });
const rejected = { refusal: { code: 'confirm-rejected' } };

describe('a yes', () => {
  it('counts with a passkey that signed for it, and says which', async () => {
    const proof = await prove(signed(), 'passkey');
    expect(proof).toMatchObject({ passkey: { name: 'laptop' }, askDigest: yes.askDigest });
  });

  it('needs none where the ask wants none', async () => {
    expect(await prove(yes)).toBeNull();
    expect(await prove(yes, 'hold')).toBeNull();
    expect(await prove(yes, 'either')).toBeNull();
    await expect(prove(yes, 'passkey')).rejects.toMatchObject(rejected);
  });

  it.each<[string, (given: Decision) => Decision]>([
    ['another ask', (given) => ({ ...given, id: 'a2' })],
    ['an ask that showed something else', (given) => ({ ...given, askDigest: 'e'.repeat(64) })],
    [
      'a no',
      (given) => ({
        ...given,
        assertion: own.sign(challengeOfAnswer({ ...yes, decision: 'deny' })),
      }),
    ],
    ['an unlock', (given) => ({ ...given, assertion: own.sign(challengeFor(['unlock', 'n'])) })],
  ])('does not count with what was signed for %s, needed or not', async (_what, change) => {
    await expect(prove(change(signed()), 'passkey')).rejects.toMatchObject(rejected);
    await expect(prove(change(signed()))).rejects.toMatchObject(rejected);
  });

  it('does not count a second time, nor once the passkey was removed', async () => {
    const given = signed();
    await prove(given, 'passkey');
    await expect(prove(given, 'passkey')).rejects.toMatchObject(rejected);
    await changePasskeys(file, () => []);
    await expect(prove(signed(), 'passkey')).rejects.toMatchObject(rejected);
  });

  it('that proves nothing ends its ask without a fallback, and one that does is passed on', async () => {
    const isSigned = { value: false };
    const proof = {
      passkey: { id: key.id, name: key.name },
      askDigest: 'd',
      assertion: own.sign('x'),
    };
    const place = desk({
      prove: async () => {
        if (isSigned.value) return proof;
        throw refuse('confirm-rejected', 'None was shown.', '');
      },
    });
    const ask = async (id: string) => {
      const ending = place.approver.ask({ ...draft(id), presence: 'passkey' }, asking());
      await place.shown(isSigned.value ? 2 : 1);
      const askDigest = place.asked.at(-1)?.digest ?? '';
      place.session().decide({ id, askDigest, decision: 'allow-once' });
      return ending;
    };
    expect(await ask('a1')).toMatchObject({ kind: 'lost' });
    isSigned.value = true;
    expect(await ask('a2')).toMatchObject({ kind: 'decided', proof });
  });
});

describe('the record', () => {
  const added = (change: 'added' | 'removed' = 'added', at = 1): NoteRow => {
    const { id, publicKey, rpId, name } = key;
    const code = `passkey-${change}`;
    return { type: 'note', at, code, text: '', passkey: { id, publicKey, rpId, name, change } };
  };
  const decision = (change: Partial<DecisionRow> = {}, at = 2): object => {
    const { askDigest, assertion } = signed();
    const proof = { passkey: { id: key.id, name: key.name }, askDigest, assertion };
    return { type: 'decision', id: 'a1', at, code: 'allow-once', proof, ...change };
  };
  const problems = async (rows: readonly object[], isWhole = true) => {
    const walk = signedAnswers<number>();
    for (const [place, row] of rows.entries()) walk.row(JSON.stringify(row), place);
    return (await walk.problems(isWhole)).map(({ place }) => place);
  };

  it('holds what was signed against the key that was registered in it', async () => {
    expect(await problems([added(), decision(), added('removed', 3)])).toEqual([]);
    expect(await problems([added(), decision({ id: 'a2' })])).toEqual([1]);
    expect(await problems([added(), decision({ code: 'allow-always' })])).toEqual([1]);
    const other = { ...added(), passkey: { ...added().passkey, publicKey: 'pQECAyYgASFYIA' } };
    expect(await problems([other, decision()])).toEqual([1]);
  });

  const bens = (): NoteRow => ({
    ...added(),
    passkey: { ...(added().passkey as NonNullable<NoteRow['passkey']>), person: 'Ben' },
  });
  const handOver = (at: number, until: number | null): NoteRow => ({
    type: 'note',
    at,
    code: until === null ? 'handed-back' : 'handed-over',
    text: '',
    handOver: { person: 'Ben', until, passkeys: [key.id] },
  });
  const hour = 3_600_000;
  /** His yes, given alone. */
  const bensYes = (at: number, change: Partial<DecisionRow> = {}): object => {
    const row = decision({ decision: 'allow', by: 'person' }, at) as DecisionRow;
    const proof = { ...(row.proof as NonNullable<DecisionRow['proof']>), person: 'Ben' };
    return { ...row, proof, ...change };
  };

  it.each<[string, () => readonly object[], readonly number[]]>([
    ['within a handover', () => [bens(), handOver(hour, 3 * hour), bensYes(2 * hour)], []],
    ['without one', () => [bens(), bensYes(2 * hour)], [1]],
    ['before it', () => [bens(), bensYes(hour), handOver(2 * hour, 3 * hour)], [1]],
    ['after its end', () => [bens(), handOver(hour, 2 * hour), bensYes(3 * hour)], [2]],
    [
      'after it was taken back',
      () => [bens(), handOver(hour, 9 * hour), handOver(2 * hour, null), bensYes(3 * hour)],
      [3],
    ],
    [
      'between two of them',
      () => [bens(), handOver(hour, 2 * hour), handOver(5 * hour, 6 * hour), bensYes(4 * hour)],
      [3],
    ],
    [
      'within the later one',
      () => [bens(), handOver(hour, 9 * hour), handOver(2 * hour, 5 * hour), bensYes(4 * hour)],
      [],
    ],
    [
      'by a passkey that came after the handover',
      () => [handOver(hour, 9 * hour), bens(), bensYes(2 * hour)],
      [2],
    ],
  ])(
    'tells of the yes of somebody else, alone, unless it was given %s',
    async (_when, rows, bad) => {
      expect(await problems(rows())).toEqual(bad);
    },
  );

  it('tells of a key that was not there yet, or not any more', async () => {
    expect(await problems([decision(), added()])).toEqual([0]);
    expect(await problems([added(), added('removed', 3), decision({}, 100_000)])).toEqual([2]);
    expect(await problems([decision()], false)).toEqual([]);
  });
});
