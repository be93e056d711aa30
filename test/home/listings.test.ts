import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createListings } from '../../shared/home/listings.ts';
import { seeded } from '../fuzz/random.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interlock-listings-'));
  writeFileSync(join(folder, 'a'), '');
  mkdirSync(join(folder, 'inner'));
  return () => rmSync(folder, { recursive: true, force: true });
});

/** As if what stands there now had stood there for an hour. */
const later = () => Date.now() + 3_600_000;
/** Until the clock of the file system has gone on, so that the next change has a time of its own. */
function tick(): void {
  const { ctimeNs } = statSync(folder, { bigint: true });
  const probe = `${folder}-probe`;
  do writeFileSync(probe, 'x');
  while (statSync(probe, { bigint: true }).ctimeNs <= ctimeNs);
  unlinkSync(probe);
}

const plain = (path: string) => createListings()(path)?.toSorted();

describe('the names in a folder', () => {
  it('are read once while the folder is as it was', () => {
    const list = createListings({ now: later });
    const first = list(folder);
    expect(first?.toSorted()).toEqual([
      ['a', 'file'],
      ['inner', 'folder'],
    ]);
    // The very list, so that nothing was read.
    expect(list(folder)).toBe(first);
  });

  it('are read each time where they were changed a moment ago, and a change may show in no time', () => {
    const list = createListings();
    expect(list(folder)).not.toBe(list(folder));
  });

  it.each<[string, () => void]>([
    ['a file came', () => writeFileSync(join(folder, 'b'), '')],
    ['a file went', () => unlinkSync(join(folder, 'a'))],
    ['a file has another name', () => renameSync(join(folder, 'a'), join(folder, 'b'))],
    ['a name was given twice', () => linkSync(join(folder, 'a'), join(folder, 'b'))],
    [
      'a link took the place of a file',
      () => {
        symlinkSync('/etc/passwd', join(folder, 'b'));
        renameSync(join(folder, 'b'), join(folder, 'a'));
      },
    ],
    [
      'a link took the place of a folder',
      () => {
        rmSync(join(folder, 'inner'), { recursive: true });
        symlinkSync('/etc', join(folder, 'inner'));
      },
    ],
    [
      'another folder took its place',
      () => {
        renameSync(folder, `${folder}-old`);
        onTestFinished(() => rmSync(`${folder}-old`, { recursive: true, force: true }));
        mkdirSync(folder);
        writeFileSync(join(folder, 'other'), '');
      },
    ],
  ])('are other ones once %s, whatever its time is set to', (_, change) => {
    const list = createListings({ now: later });
    const before = list(folder);
    const { atime, mtime } = statSync(folder);
    tick();
    change();
    utimesSync(folder, atime, mtime);
    const after = list(folder);
    expect(after).not.toBe(before);
    expect(after?.toSorted()).toEqual(plain(folder));
  });

  it('are always those that are there, while files come and go', () => {
    const random = seeded(11);
    const list = createListings({ now: later });
    for (let step = 0; step < 150; step += 1) {
      tick();
      const path = join(folder, `f${random.below(6)}`);
      const choice = random.below(10);
      if (choice < 3) rmSync(path, { recursive: true, force: true });
      else if (choice < 5 && !statSync(path, { throwIfNoEntry: false })) mkdirSync(path);
      else if (choice < 8 && !statSync(path, { throwIfNoEntry: false })) writeFileSync(path, '');
      expect(list(folder)?.toSorted()).toEqual(plain(folder));
    }
  });

  it('are read each time on a file system that is not known to tell of every change', () => {
    const list = createListings({ now: later });
    expect(list('/proc/self')).not.toBe(list('/proc/self'));
  });

  it('are forgotten where they would become too many', () => {
    const list = createListings({ now: later, most: 25 });
    const many = ['one', 'two', 'three'].map((name) => join(folder, name));
    for (const path of many) {
      mkdirSync(path);
      for (let name = 0; name < 10; name += 1) writeFileSync(join(path, `${name}`), '');
    }
    const [first = '', second = '', third = ''] = many;
    const before = list(first);
    list(second);
    expect(list(first)).toBe(before);
    list(third);
    expect(list(first)).not.toBe(before);
    expect(list(first)).toHaveLength(10);
  });

  it('are none where there are more than can be judged, and an error where nothing can be read', () => {
    for (let name = 0; name < 10_001; name += 1)
      linkSync(join(folder, 'a'), join(folder, 'inner', `${name}`));
    const list = createListings({ now: later });
    expect(list(join(folder, 'inner'))).toBe(null);
    expect(() => list(join(folder, 'nothing'))).toThrow('ENOENT');
    expect(() => list(join(folder, 'a'))).toThrow('ENOTDIR');
  });
});
