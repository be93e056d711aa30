import { compile, refuse } from '../../base/index.ts';
import type { Refusal } from '../../base/index.ts';
import { ruleProblem } from '../rules/compiled-rule.ts';
import { isFields, modernise } from './legacy.ts';
import { askModes, requestKinds, ruleEffects, securityModes } from './types.ts';
import type { PolicyDocument } from './types.ts';

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

const ruleSchema = {
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

const agentSchema = {
  type: 'object',
  properties: {
    ...modes,
    allowlist: { type: 'array', maxItems: 50_000, items: ruleSchema },
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
    agents: { type: 'object', maxProperties: 1_000, additionalProperties: agentSchema },
  },
} as const;

export type ParsedPolicy =
  | { readonly ok: true; readonly document: PolicyDocument }
  | { readonly ok: false; readonly problem: Refusal };

/** Longest text that is looked at, in characters. */
export const maxPolicyLength = 8 * 1024 * 1024;

const check = compile<PolicyDocument>(policySchema);

/**
 * Reads the text of `exec-approvals.json`, version 1. Anything doubtful is a `config-invalid` problem
 * and nothing is allowed. Fields that are not known are kept for the next write.
 */
export function parsePolicy(text: string): ParsedPolicy {
  if (text.length > maxPolicyLength) {
    return invalid(`The policy is longer than ${maxPolicyLength} characters.`);
  }
  const json = parseJson(text);
  if (!json.ok) return invalid(json.why);
  const version = versionProblem(json.value);
  if (version !== null) return version;
  const checked = check(modernise(json.value));
  if (!checked.ok) return invalid(`The policy is not valid: ${checked.error}`);
  const broken = brokenRule(checked.value);
  return broken === null ? { ok: true, document: checked.value } : invalid(broken);
}

/** The text that is written to the file. */
export function serialisePolicy(document: PolicyDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

type Json =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly why: string };

function parseJson(text: string): Json {
  let hostile = false;
  try {
    const value: unknown = JSON.parse(text, (key, inner: unknown) => {
      hostile ||= key === '__proto__';
      return inner;
    });
    if (hostile) return { ok: false, why: 'The policy has a field named "__proto__".' };
    if (isFields(value)) return { ok: true, value };
    return { ok: false, why: 'The policy is not a JSON object.' };
  } catch (error) {
    if (text.trim() === '') return { ok: false, why: 'The policy file is empty.' };
    return { ok: false, why: `The policy is not valid JSON: ${(error as Error).message}.` };
  }
}

function versionProblem(document: Readonly<Record<string, unknown>>): ParsedPolicy | null {
  const version = document['version'];
  if (version === 1) return null;
  if (version === undefined) {
    return invalid('The policy does not say which version it has.', 'Add "version": 1 at its top.');
  }
  if (typeof version === 'number' && version > 1) {
    return invalid(
      `The policy has version ${version}, which this program does not know.`,
      'A newer program wrote it: update this one, or go back to the copy in exec-approvals.json.last-good.',
    );
  }
  return invalid(
    `The policy has version ${JSON.stringify(version)}; it must be the number 1.`,
    'Set "version": 1.',
  );
}

/** A rule that cannot be understood is harmless when it allows, and a hole when it denies or asks. */
function brokenRule(document: PolicyDocument): string | null {
  for (const [agent, { allowlist = [] }] of Object.entries(document.agents ?? {})) {
    for (const [index, rule] of allowlist.entries()) {
      if (rule.effect !== 'deny' && rule.effect !== 'ask') continue;
      const problem = ruleProblem(rule);
      if (problem !== null)
        return `agents.${agent}.allowlist[${index}] cannot be understood: ${problem}`;
    }
  }
  return null;
}

function invalid(
  message: string,
  hint = 'Mend the file, or go back to the copy in exec-approvals.json.last-good. Nothing runs until then.',
): { readonly ok: false; readonly problem: Refusal } {
  return { ok: false, problem: refuse('config-invalid', message, hint).refusal };
}
