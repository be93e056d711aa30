import { policySchema } from './parse.ts';

const { defaults, agents } = policySchema.properties;
const rule = agents.additionalProperties.properties.allowlist.items;
const ruleWithId = { ...rule, required: [...rule.required, 'id'] };
const { security, ask, askFallback, askTimeoutMs } = defaults.properties;
const orNull = (schema: object): object => ({ anyOf: [schema, { type: 'null' }] });

const modePatchSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    security: orNull(security),
    ask: orNull(ask),
    askFallback: orNull(askFallback),
    askTimeoutMs: orNull(askTimeoutMs),
  },
};

const rulesPatchSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    remove: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 128 } },
    replace: { type: 'array', items: ruleWithId },
    insert: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['at', 'items'],
        properties: {
          at: { type: 'integer', minimum: 0 },
          items: { type: 'array', minItems: 1, items: ruleWithId },
        },
      },
    },
  },
};

/** The form of a patch that comes from outside. What it says is checked by `applyPatch`. */
export const patchSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    defaults: modePatchSchema,
    agents: {
      type: 'object',
      maxProperties: agents.maxProperties,
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        properties: { modes: modePatchSchema, rules: rulesPatchSchema },
      },
    },
  },
};
