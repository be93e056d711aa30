import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../../shared/engine/config.ts';

const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');

function keysOf(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const isGroup =
      typeof inner === 'object' &&
      inner !== null &&
      !Array.isArray(inner) &&
      Object.keys(inner).length > 0;
    return isGroup ? keysOf(inner, `${prefix}${key}.`) : [`${prefix}${key}`];
  });
}

const known = keysOf(defaultConfig).filter((key) => key !== 'version');
const documented = [...page.matchAll(/^\| `([a-zA-Z.0-9]+)`\s*\|/gm)].map(([, key]) => key ?? '');

describe('docs/configuration.md', () => {
  it('has a line for every key of config.json, and for no other', () => {
    expect(documented.toSorted()).toEqual(known.toSorted());
  });
});
