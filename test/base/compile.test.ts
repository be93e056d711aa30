import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { compile } from '../../shared/base/compile.ts';
import { s } from '../../shared/base/schema.ts';
import type { Schema, Static } from '../../shared/base/schema.ts';

const check = compile(
  s.object({
    agents: s.record(
      s.object({
        security: s.optional(s.oneOf(['deny', 'full'])),
        timeout: s.optional(s.integer({ minimum: 1, maximum: 9 })),
        idle: s.optional(s.nullable(s.integer({ minimum: 10 }))),
        link: s.optional(s.nullable(s.string({ pattern: '^http:' }))),
        name: s.optional(s.string({ minLength: 1, maxLength: 3 })),
        token: s.optional(s.string({ pattern: '^[a-z]+$' })),
        rules: s.optional(s.array(s.union(s.string(), s.open({ pattern: s.string() })))),
      }),
    ),
  }),
);

describe('a compiled schema', () => {
  it('hands a valid value back as it is', () => {
    const value = { agents: { claude: { security: 'deny', rules: ['ls', { pattern: 'git' }] } } };
    const checked = check(value);
    expect(checked).toEqual({ ok: true, value });
    expect(checked.ok && checked.value).toBe(value);
  });

  it.each([
    [7, 'The value must be an object, not a number.'],
    [{}, 'The value lacks the field "agents".'],
    [{ agents: {}, extra: 1 }, 'The value has an unknown field "extra".'],
    [
      { agents: { a: { security: 'loose' } } },
      'agents.a.security must be one of "deny", "full", not "loose".',
    ],
    [
      { agents: { 'a b/c': { timeout: 1.5 } } },
      'agents["a b/c"].timeout must be a whole number, not a fraction.',
    ],
    [{ agents: { a: { timeout: 0 } } }, 'agents.a.timeout must be at least 1, not 0.'],
    [{ agents: { a: { timeout: 10 } } }, 'agents.a.timeout must be at most 9, not 10.'],
    [{ agents: { a: { idle: 3 } } }, 'agents.a.idle must be at least 10, not 3.'],
    [
      { agents: { a: { idle: 'x' } } },
      'agents.a.idle must be a whole number or null, not a string.',
    ],
    [{ agents: { a: { link: 'ftp:' } } }, 'agents.a.link does not have the expected form: "ftp:".'],
    [{ agents: { a: { name: '' } } }, 'agents.a.name must not be empty.'],
    [{ agents: { a: { name: 'abcd' } } }, 'agents.a.name has more than 3 characters.'],
    [
      { agents: { a: { rules: [7] } } },
      'agents.a.rules[0] must be a string or an object, not a number.',
    ],
    [
      { agents: { a: { rules: ['ls', { pattern: 3 }] } } },
      'agents.a.rules[1].pattern must be a string, not a number.',
    ],
    [
      { agents: { a: { token: 'HUSH7' } } },
      'agents.a.token does not have the expected form: what stands there.',
    ],
  ])('says in one sentence what is wrong with %j', (value, error) => {
    expect(check(value)).toMatchObject({ ok: false, error });
  });

  it('names the place that a person has to look at', () => {
    expect(check({ agents: { 'a/b': { securty: 'deny' } } })).toMatchObject({
      path: '/agents/a~1b/securty',
    });
    expect(check({ agents: { a: { timeout: 0 } } })).toMatchObject({ path: '/agents/a/timeout' });
  });

  it('throws at the first use of a schema that is itself wrong', () => {
    expect(() => compile(s.string({ pattern: '(' }))({})).toThrow(/regular expression/i);
  });
});

describe('a schema', () => {
  const text = s.string({ minLength: 1, maxLength: 9, pattern: '^a' });
  const fields = { text, more: s.optional(s.number({ minimum: 0, maximum: 1 })) };
  const words: { readonly [K in Exclude<keyof typeof s, 'optional' | 'partial'>]: object } = {
    string: text,
    number: s.number({ minimum: 0, maximum: 1 }),
    integer: s.integer({ minimum: 0, maximum: 1 }),
    boolean: s.boolean(),
    null: s.null(),
    unknown: s.unknown(),
    literal: s.literal(1),
    oneOf: s.oneOf(['a', 'b']),
    nullable: s.nullable(text),
    union: s.union(text, s.null()),
    array: s.array(text, { minItems: 1, maxItems: 2 }),
    filled: s.filled(text, { maxItems: 2 }),
    tuple: s.tuple(text, text),
    record: s.record(text, { maxProperties: 3, names: text }),
    described: s.described(text, 'a text'),
    object: s.object(s.partial(fields), { minProperties: 1 }),
    file: s.file(fields),
    open: s.open(fields),
  };

  // Nothing else makes one, so none has to be checked again when the product runs.
  it.each(Object.entries(words))('that "%s" makes is what the meta-schema wants', (_, schema) => {
    const ajv = new Ajv2020({ strict: true });
    expect(ajv.validateSchema(schema), JSON.stringify(ajv.errors)).toBe(true);
  });
});

describe('the type of a schema', () => {
  const shape = {
    name: s.string(),
    level: s.optional(s.oneOf(['low', 'high'])),
    size: s.nullable(s.integer()),
    tags: s.array(s.union(s.string(), s.literal(7))),
    pair: s.optional(s.tuple(s.string(), s.boolean())),
  };

  it('is that of the values that fit it', () => {
    interface Shape {
      readonly name: string;
      readonly level?: 'low' | 'high';
      readonly size: number | null;
      readonly tags: readonly (string | 7)[];
      readonly pair?: readonly [string, boolean];
    }
    const closed = s.object(shape);
    expectTypeOf<Static<typeof closed>>().toEqualTypeOf<Shape>();
    const whole = { name: 'a', level: 'low', size: null, tags: ['x', 7], pair: ['y', true] };
    expect(compile(closed)(whole)).toEqual({ ok: true, value: whole });
    expect(compile(closed)({ name: 'a', size: 1, tags: [8] }).ok).toBe(false);
    expect(compile(closed)({ ...whole, pair: ['y', true, 1] }).ok).toBe(false);
  });

  it('leaves fields out that may be left out', () => {
    const part = s.object(s.partial(shape));
    expectTypeOf<Static<typeof part>>().toExtend<{ readonly name?: string }>();
    expect(compile(part)({}).ok).toBe(true);
  });

  it('cannot be claimed for another schema, or for plain keywords', () => {
    // @ts-expect-error A text is not one of two words.
    const narrower: Schema<'a' | 'b'> = s.string();
    // @ts-expect-error Nothing says what values these keywords let through.
    const unproved: Schema<string> = { type: 'string' };
    // @ts-expect-error The check of a text yields a text.
    const claimed = compile<{ readonly command: string }>(s.string());
    expect([narrower, unproved, claimed]).toHaveLength(3);
  });

  it('says which objects take fields that nobody reads', () => {
    const fields = { a: s.optional(s.string()) };
    const takes = (schema: Schema<unknown>, value: unknown) => compile(schema)(value).ok;
    expect(takes(s.object(fields), { 'x-more': 1 })).toBe(false);
    expect(takes(s.file(fields), { 'x-more': 1 })).toBe(true);
    expect(takes(s.file(fields), { more: 1 })).toBe(false);
    expect(takes(s.open(fields), { more: 1 })).toBe(true);
    expect(takes(s.open(fields), { a: 1 })).toBe(false);
  });
});
