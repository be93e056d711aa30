import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { newRuleSchema } from '../../../shared/engine/policy/types.ts';
import { parseConfig } from '../../../shared/engine/config-schema.ts';
import { configFileSchema, defaultConfig } from '../../../shared/engine/config.ts';

/** A JSON schema, as far as the ranges of settings need it. */
interface Shape {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Shape[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, Shape>>;
}

interface Setting {
  readonly key: string;
  readonly shape: Shape;
  readonly value: unknown;
}

const shapes = (configFileSchema as unknown as Required<Shape>).properties;

/** Every setting by its full name; `users` and `agents` are one each. */
const settings: readonly Setting[] = Object.entries(shapes)
  .filter(([section]) => section !== 'version' && section !== '$schema')
  .flatMap(([section, shape]): readonly Setting[] => {
    const value = defaultConfig[section as keyof typeof defaultConfig];
    if (shape.properties === undefined) return [{ key: section, shape, value }];
    const values = value as unknown as Readonly<Record<string, unknown>>;
    return Object.entries(shape.properties).map(([name, field]) => ({
      key: `${section}.${name}`,
      shape: field,
      value: values[name],
    }));
  });

const units = [
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** A number as a person reads it: `30 min`, `1.5 s`, `200,000`. */
function inWords(key: string, value: number): string {
  const [unit, size] = units.find((each) => value >= each[1]) ?? ['ms', 1];
  const isTime = key.endsWith('Ms') && value > 0;
  return isTime ? `${(value / size).toLocaleString('en')} ${unit}` : value.toLocaleString('en');
}

function rangeOf(key: string, shape: Shape): string {
  if (shape.anyOf !== undefined) {
    const [form = {}] = shape.anyOf;
    return `${rangeOf(key, form)}, or \`null\``;
  }
  if (shape.enum !== undefined) return shape.enum.map((word) => `\`${word}\``).join(', ');
  const { type, minimum = 0, maximum, maxLength, maxItems, maxProperties } = shape;
  if (type === 'boolean') return '`true`, `false`';
  if (type === 'integer') return `${inWords(key, minimum)} to ${inWords(key, maximum ?? NaN)}`;
  if (shape.pattern?.includes('[KMG]') === true) return 'a size (`K`, `M`, `G`)';
  if (type === 'string')
    return maxLength === undefined
      ? 'a name'
      : `at most ${maxLength.toLocaleString('en')} characters`;
  const entries = maxItems ?? maxProperties;
  return entries === undefined ? 'an object' : `at most ${entries.toLocaleString('en')} entries`;
}

function defaultOf({ key, value }: Setting): string {
  return typeof value === 'number' ? inWords(key, value) : `\`${JSON.stringify(value)}\``;
}

const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
const rows = new Map(
  [...page.matchAll(/^\| `([\w.]+)` *\|([^|]*)\|([^|]*)\|/gmu)].map(
    ([, key = '', value = '', range = '']) => [key, [value.trim(), range.trim()]],
  ),
);

describe('docs/configuration.md', () => {
  it('names every setting there is, and no other', () => {
    expect([...rows.keys()].toSorted()).toEqual(settings.map(({ key }) => key).toSorted());
  });

  it.each(settings.map((setting) => [setting.key, setting] as const))(
    'says the default and the range of %s',
    (key, setting) => {
      expect(rows.get(key)).toEqual([defaultOf(setting), rangeOf(key, setting.shape)]);
    },
  );
});

describe('a number out of its range', () => {
  const numbers = settings.flatMap(({ key, shape }) => {
    const form = shape.anyOf?.[0] ?? shape;
    return form.type === 'integer' ? [[key, form] as const] : [];
  });

  it.each(numbers)('is said to be one: %s', (key, { minimum = NaN, maximum = NaN }) => {
    const [section = '', name = ''] = key.split('.');
    const said = (value: number): string => {
      const parsed = parseConfig(JSON.stringify({ version: 1, [section]: { [name]: value } }));
      return parsed.ok ? 'taken' : parsed.problem.message;
    };
    expect(said(minimum - 1)).toContain(`${key} must be at least ${String(minimum)}`);
    expect(said(maximum + 1)).toContain(`${key} must be at most ${String(maximum)}`);
  });
});

it('every field that a person writes into a rule is described', () => {
  const kept = /^(?:source|note|createdAt|last.*|uses)$/;
  const { properties } = newRuleSchema as unknown as Required<Shape>;
  const text = readFileSync(new URL('../../../docs/rules.md', import.meta.url), 'utf8');
  const missing = Object.keys(properties).filter(
    (name) => !kept.test(name) && !text.includes(`\`${name}`),
  );
  expect(Object.keys(properties)).toContain('env');
  expect(missing).toEqual([]);
});
