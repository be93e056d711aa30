import { expect, it } from 'vitest';
import { flag, inert } from '../../../shared/engine/programs/forms.ts';
import { withRoles } from '../../../shared/engine/programs/records/shapes.ts';
import type { Options } from '../../../shared/engine/programs/types.ts';

it('options with roles are put together when they are first read, and once', () => {
  let looks = 0;
  const roles = new Proxy<Options>(
    { '--file': inert },
    {
      ownKeys: (target) => {
        looks += 1;
        return Reflect.ownKeys(target);
      },
    },
  );
  const options = withRoles('-f|--file -v', roles);
  expect(looks).toBe(0);
  expect(Object.entries(options)).toEqual([
    ['--file -f', inert],
    ['-v', flag],
  ]);
  const first = looks;
  expect(first).toBeGreaterThan(0);
  expect({ ...options }).toEqual({ '--file -f': inert, '-v': flag });
  expect(options['-v']).toBe(flag);
  expect('-v' in options).toBe(true);
  expect('-x' in options).toBe(false);
  expect(looks).toBe(first);
});

it('nobody changes a table of options', () => {
  const options = withRoles('-v', {});
  expect(Reflect.set(options, '-x', flag)).toBe(false);
  expect(Reflect.deleteProperty(options, '-v')).toBe(false);
  expect(Reflect.defineProperty(options, '-x', { value: flag })).toBe(false);
  expect(Object.keys(options)).toEqual(['-v']);
});
