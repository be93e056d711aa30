import { describe, expect, it } from 'vitest';
import { compile } from '../../shared/base/schema.ts';

const check = compile<{ agents: Record<string, unknown> }>({
  type: 'object',
  required: ['agents'],
  additionalProperties: false,
  properties: {
    agents: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        properties: {
          security: { enum: ['deny', 'full'] },
          timeout: { type: 'integer', minimum: 1 },
          token: { type: 'string', pattern: '^[a-z]+$' },
          rules: {
            type: 'array',
            items: {
              anyOf: [
                { type: 'string' },
                {
                  type: 'object',
                  required: ['pattern'],
                  properties: { pattern: { type: 'string' } },
                },
              ],
            },
          },
        },
      },
    },
  },
});

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
    [{ agents: { a: { timeout: 0 } } }, 'agents.a.timeout must be >= 1.'],
    [
      { agents: { a: { rules: ['ls', { pattern: 3 }] } } },
      'agents.a.rules[1].pattern must be a string, not a number.',
    ],
    [
      { agents: { a: { token: 'HUSH7' } } },
      'agents.a.token does not have the expected form: what stands there.',
    ],
  ])('says in one sentence what is wrong with %j', (value, error) => {
    expect(check(value)).toEqual({ ok: false, error });
  });

  it('throws at the first use of a schema that is itself wrong', () => {
    expect(() => compile({ type: 'object', propertys: {} })({})).toThrow(/propertys/);
  });
});
