import fc from 'fast-check';
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openJournal } from '../../../../runner/ingress/files/journal.ts';
import type { Journal } from '../../../../runner/ingress/files/journal.ts';
import { uid } from './support.ts';

let folder = '';
let now = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'il-journal-'));
  now = 1_000_000;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const path = (): string => join(folder, 'rpc.journal');
const open = (file = path()): Journal => openJournal({ path: file, uid, now: () => now });
const taken = (id: string, nonce: string = id, principal = 'box') => ({
  id,
  nonce,
  principal,
  folder: '/shared',
  until: now + 1_000,
});

describe('the journal of shared folders', () => {
  it('takes up each id and each nonce of an agent once, also after a restart', async () => {
    const first = open();
    expect(await first.take(taken('a', '1'))).toBe(true);
    expect(await first.take(taken('a', '2'))).toBe(false);
    expect(await first.take(taken('b', '1'))).toBe(false);
    expect(await first.take(taken('c', '1', 'other'))).toBe(true);
    first.answered('a');
    first.dispose();
    const second = open();
    expect([second.has('a'), second.has('b'), second.has('c')]).toEqual([true, false, true]);
    expect(await second.take(taken('d', '1'))).toBe(false);
    expect(second.open().map(({ id }) => id)).toEqual(['c']);
    second.dispose();
  });

  it('takes up one of two that come at the same moment', async () => {
    const journal = open();
    const results = await Promise.all([1, 2, 3].map(async () => journal.take(taken('a'))));
    expect(results.filter(Boolean)).toHaveLength(1);
    journal.dispose();
  });

  it('forgets what its time alone keeps out, and a clock that is set back opens nothing', async () => {
    const journal = open();
    await journal.take(taken('a'));
    await journal.take(taken('unanswered'));
    journal.answered('a');
    journal.dispose();
    const until = now + 1_000;
    now = until + 1;
    const later = open();
    expect([later.has('a'), later.has('unanswered')]).toEqual([false, true]);
    now -= 5_000;
    expect(await later.take({ ...taken('a'), until })).toBe(false);
    expect(await later.take({ ...taken('new'), until: until + 1 })).toBe(true);
    later.dispose();
  });

  it('is not believed where others could have written it', () => {
    writeFileSync(path(), '', { mode: 0o644 });
    expect(() => open()).toThrow(/can be used by others/u);
  });

  it('loses nothing that was taken up, wherever a loss of power cuts what was not synced', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
        fc.nat(),
        async (answers, seed) => {
          rmSync(path(), { force: true });
          const journal = open();
          let synced = 0;
          for (const [at, answer] of answers.entries()) {
            await journal.take(taken(`id-${String(at)}`));
            synced = statSync(path()).size;
            // Not synced: any part of it may be gone afterwards.
            if (answer) journal.answered(`id-${String(at)}`);
          }
          const copy = join(folder, 'after');
          copyFileSync(path(), copy);
          journal.dispose();
          const loose = statSync(copy).size - synced;
          truncateSync(copy, synced + (loose === 0 ? 0 : seed % (loose + 1)));
          const after = open(copy);
          for (const at of answers.keys()) {
            expect(after.has(`id-${String(at)}`)).toBe(true);
            expect(await after.take(taken(`id-${String(at)}`, 'fresh'))).toBe(false);
          }
          const left = after.open().map(({ id }) => id);
          expect(left).toEqual(
            expect.arrayContaining(
              answers.flatMap((done, at) => (done ? [] : [`id-${String(at)}`])),
            ),
          );
          after.dispose();
        },
      ),
      { numRuns: 30 },
    );
  });

  it('holds many without writing itself anew for each', async () => {
    const journal = open();
    for (let at = 0; at < 300; at += 1) await journal.take(taken(`many-${String(at)}`));
    expect(readFileSync(path(), 'utf8').trimEnd().split('\n')).toHaveLength(301);
    journal.dispose();
  });
});
