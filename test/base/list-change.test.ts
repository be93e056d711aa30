import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyListChange, listChange } from '../../shared/base/list-change.ts';

interface Item {
  readonly id: string;
  readonly value: number;
}

const key = ({ id }: Item): string => id;
const same = (one: Item, other: Item): boolean => one.value === other.value;
const items = (text: string): Item[] => text.split('').map((id) => ({ id, value: 0 }));
const lists = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom(...'abcdefghijkl'.split('')),
    value: fc.integer({ min: 0, max: 2 }),
  }),
  { selector: key },
);

describe('the change of a list', () => {
  it('turns any list into any other', () => {
    fc.assert(
      fc.property(lists, lists, (before, after) => {
        const change = listChange(before, after, { key, same });
        expect(change).not.toBeNull();
        expect(change === null ? null : applyListChange(before, change, key)).toEqual(after);
      }),
    );
  });

  it.each([
    ['nothing', 'abcd', 'abcd', {}],
    ['one out', 'abcd', 'acd', { remove: ['b'] }],
    ['a run in', 'ab', 'axyb', { insert: [{ at: 1, items: items('xy') }] }],
    ['to the front', 'abcd', 'dabc', { remove: ['d'], insert: [{ at: 0, items: items('d') }] }],
    ['to the end', 'abcd', 'bcda', { remove: ['a'], insert: [{ at: 3, items: items('a') }] }],
  ])('says no more than is needed: %s', (_what, before, after, change) => {
    expect(listChange(items(before), items(after), { key, same })).toEqual(change);
  });

  it('replaces an item in its place', () => {
    const changed = [
      { id: 'a', value: 0 },
      { id: 'b', value: 1 },
    ];
    expect(listChange(items('ab'), changed, { key, same })).toEqual({ replace: [changed[1]] });
  });

  it('cannot be told where a key occurs twice', () => {
    expect(listChange(items('aa'), items('a'), { key, same })).toBeNull();
    expect(listChange(items('a'), items('aa'), { key, same })).toBeNull();
  });

  it.each([
    ['takes out what is not there', { remove: ['x'] }],
    ['replaces what is not there', { replace: items('x') }],
    ['inserts what is there', { insert: [{ at: 0, items: items('a') }] }],
    ['inserts the same twice', { insert: [{ at: 0, items: items('xx') }] }],
    ['inserts beyond the end', { insert: [{ at: 4, items: items('x') }] }],
    [
      'inserts backwards',
      {
        insert: [
          { at: 2, items: items('x') },
          { at: 1, items: items('y') },
        ],
      },
    ],
  ])('does not fit a list when it %s', (_what, change) => {
    expect(applyListChange(items('abc'), change, key)).toBeNull();
  });

  it('of one among 20,000 is found and applied at once', () => {
    const long = Array.from({ length: 20_000 }, (_, index) => ({ id: String(index), value: 0 }));
    const after = long.toSpliced(10_000, 1);
    const change = listChange(long, after, { key, same });
    expect(change).toEqual({ remove: ['10000'] });
    expect(change === null ? null : applyListChange(long, change, key)).toEqual(after);
  });
});
