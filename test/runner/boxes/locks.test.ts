import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { boxLocks, lockBoxOut } from '../../../runner/boxes/locks.ts';
import { openBoxRecords } from '../../../runner/boxes/record.ts';
import { refusalOf } from '../../../shared/base/index.ts';
import { ownUid } from '../../../shared/home/index.ts';
import { temporaryFolder } from '../hosts/support.ts';
import { canBox, home, lives } from './support.ts';

const uid = ownUid();
const lock = { at: 1, reason: 'drill', by: 'a test' };
const nothingRuns = {
  runs: () => false,
  destroy: async () => Promise.resolve(true),
};

function opened() {
  const directory = join(temporaryFolder(), 'boxes');
  const records = openBoxRecords(directory, uid);
  return { directory, records, locks: boxLocks(records, uid) };
}

describe('the lock of one box', () => {
  it('holds for it and its agent, with its reason, until somebody opens it', () => {
    const { locks } = opened();
    locks.close('fix', lock);
    expect(locks.of('fix')).toEqual({ reason: 'drill' });
    for (const check of [() => locks.check('fix'), () => locks.checkAgent('box-fix')]) {
      let refusal;
      try {
        check();
      } catch (error) {
        refusal = refusalOf(error);
      }
      expect(refusal).toMatchObject({
        code: 'lockout-active',
        message: 'The box "fix" is locked: drill.',
      });
      expect(refusal?.hint).toContain('interlock unlock --box fix');
    }
    locks.check('other');
    locks.checkAgent('box-other');
    locks.checkAgent('fix');
    expect([locks.open('fix'), locks.open('fix'), locks.of('fix')]).toEqual([true, false, null]);
  });

  it.each([
    ['damaged', (path: string) => writeFileSync(path, '{"version":1')],
    ['empty', (path: string) => writeFileSync(path, '')],
    ['of another version', (path: string) => writeFileSync(path, '{"version":2}')],
    ['open to others', (path: string) => (writeFileSync(path, '{}'), chmodSync(path, 0o666))],
    ['a link that leads nowhere', (path: string) => symlinkSync('/nowhere', path)],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('holds when what is there is %s', (_, put) => {
    const { directory, locks } = opened();
    put(join(directory, 'fix.locked'));
    expect(locks.of('fix')).toEqual({ reason: null });
    expect(() => locks.check('fix')).toThrow('The box "fix" is locked.');
    expect(locks.open('fix')).toBe(true);
    expect(locks.of('fix')).toBeNull();
  });

  it('outlives the record of the box', () => {
    const { records, locks } = opened();
    locks.close('fix', lock);
    records.remove('fix');
    expect(locks.of('fix')).not.toBeNull();
  });

  it('takes no name that is a path', () => {
    const { locks } = opened();
    expect(() => locks.close('../x', lock)).toThrow('is not a name of a box');
    locks.checkAgent('box-../x');
  });

  it('ends the box also where it cannot be written, and says so', async () => {
    const { directory, records } = opened();
    rmSync(directory, { recursive: true });
    let killed = 0;
    const runtime = { ...nothingRuns, destroy: async () => Promise.resolve((killed += 1) > 0) };
    await expect(lockBoxOut('fix', { records, runtime, uid, lock })).rejects.toThrow(
      'was ended, but its lock could not be written',
    );
    expect(killed).toBe(1);
  });

  it('says what it could not end', async () => {
    const { records } = opened();
    const runtime = { runs: () => true, destroy: async () => Promise.resolve(false) };
    expect(await lockBoxOut('fix', { records, runtime, uid, lock })).toEqual({
      name: 'fix',
      ended: false,
      problems: ['Something in the box "fix" could not be ended.'],
    });
  });
});

describe.skipIf(!canBox)('a box that is locked', () => {
  it('is killed with all in it, and neither starts nor is made again, while others go on', async () => {
    const { boxes, records, runtime, options, workspace } = home();
    const locks = boxLocks(records, uid);
    const all = home({ ...options, requireOpen: locks.check, locks });
    await boxes.up({ name: 'one', templateName: 'isolated', workspace });
    await boxes.up({ name: 'two', templateName: 'isolated', workspace });
    const keeper = records.read('one')?.keeper?.pid ?? 0;
    const done = await lockBoxOut('one', { records, runtime, uid, lock });
    expect(done).toEqual({ name: 'one', ended: true, problems: [] });
    expect(lives(keeper)).toBe(false);
    const again = all.boxes;
    for (const work of [
      async () => again.start('one'),
      async () => again.reset('one'),
      async () => again.up({ name: 'one', templateName: 'isolated', workspace }),
    ])
      await expect(work()).rejects.toThrow('The box "one" is locked: drill.');
    expect(() => again.exec('one', { argv: ['true'] })).toThrow('is locked');
    const states = await again.states();
    expect(states.map(({ name, state, locked }) => [name, state, locked])).toEqual([
      ['one', 'stopped', true],
      ['two', 'running', false],
    ]);
    await again.down('one');
    await expect(again.up({ name: 'one', templateName: 'isolated', workspace })).rejects.toThrow(
      'is locked',
    );
    locks.open('one');
    await again.up({ name: 'one', templateName: 'isolated', workspace });
    expect((await again.state('one')).state).toBe('running');
  });
});
