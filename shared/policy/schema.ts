import { askModes, requestKinds, ruleEffects, securityModes } from './types.ts';

/**
 * The JSON schema of the policy document. Unknown fields are kept, since other programs write to the
 * same kind of file; the fields that decide anything are strict.
 */

const time = { type: 'number', minimum: 0 } as const;
const globText = { type: 'string', maxLength: 4096, pattern: '^[^\\u0000]*$' } as const;
const token = { type: 'string', maxLength: 65_536 } as const;
const lines = {
  type: 'array',
  maxItems: 100,
  items: { type: 'string', maxLength: 65_536 },
} as const;

const modes = {
  security: { enum: securityModes },
  ask: { enum: askModes },
  askFallback: { enum: securityModes },
  askTimeoutMs: { type: 'integer', minimum: 1_000, maximum: 86_400_000 },
  autoAllowSkills: { type: 'boolean' },
} as const;

const rule = {
  type: 'object',
  required: ['pattern'],
  properties: {
    id: { type: 'string', minLength: 1, maxLength: 128 },
    effect: { enum: ruleEffects },
    kind: { enum: requestKinds },
    pattern: globText,
    tool: globText,
    args: {
      type: 'array',
      maxItems: 1_000,
      items: { anyOf: [token, { type: 'array', minItems: 1, maxItems: 1_000, items: token }] },
    },
    argPattern: { type: 'string', maxLength: 65_536 },
    writes: { type: 'array', maxItems: 100, items: globText },
    sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    cwd: globText,
    maxRisk: { enum: ['none', 'low'] },
    host: { type: 'string', minLength: 1, maxLength: 128 },
    source: { type: 'string', maxLength: 128 },
    note: { type: 'string', maxLength: 4096 },
    createdAt: time,
    expiresAt: { anyOf: [{ type: 'null' }, time] },
    lastUsedAt: time,
    uses: { type: 'integer', minimum: 0 },
    lastUsedCommand: { type: 'string' },
    lastResolvedPath: { type: 'string' },
    examples: {
      type: 'object',
      additionalProperties: false,
      properties: { match: lines, noMatch: lines },
    },
  },
} as const;

const agent = {
  type: 'object',
  properties: {
    ...modes,
    allowlist: { type: 'array', maxItems: 50_000, items: rule },
  },
} as const;

/** Applies to a document whose legacy forms were already brought up to date. */
export const policySchema = {
  type: 'object',
  required: ['version'],
  properties: {
    version: { const: 1 },
    socket: {
      type: 'object',
      properties: {
        path: { type: 'string', maxLength: 4096 },
        token: { type: 'string', maxLength: 1024 },
      },
    },
    defaults: { type: 'object', properties: modes },
    agents: { type: 'object', maxProperties: 1_000, additionalProperties: agent },
  },
} as const;
