import { compile, parseJson, refuse, withLine } from '../../base/index.ts';
import type { Refusal } from '../../base/index.ts';
import { ruleProblem } from '../rules/compiled-rule.ts';
import { isFields, modernise } from './legacy.ts';
import { policyFileSchema } from './types.ts';
import type { PolicyDocument } from './types.ts';

type ParsedPolicy =
  | { readonly ok: true; readonly document: PolicyDocument }
  | { readonly ok: false; readonly problem: Refusal };

/** Longest text that is looked at, in characters. */
export const maxPolicyLength = 8 * 1024 * 1024;

const check = compile(policyFileSchema);

/**
 * Reads the text of `exec-approvals.json`, version 1. Anything doubtful is a `config-invalid` problem
 * and nothing is allowed: an unknown field, a field that stands twice, with the line of it. Fields
 * whose names begin with `x-` are kept for the next write.
 */
export function parsePolicy(text: string): ParsedPolicy {
  if (text.length > maxPolicyLength) {
    return invalid(`The policy is longer than ${maxPolicyLength} characters.`);
  }
  const json = parseJson(text);
  if (!json.ok) return invalid(`The policy cannot be read: ${json.error}`);
  if (!isFields(json.value)) return invalid('The policy is not a JSON object.');
  const version = versionProblem(json.value);
  if (version !== null) return version;
  const checked = check(json.value);
  if (!checked.ok) return invalid(`The policy is not valid: ${withLine(checked, text)}`);
  const document = modernise(checked.value);
  const broken = brokenRule(document);
  return broken === null ? { ok: true, document } : invalid(broken);
}

/** The text that is written to the file. */
export function serialisePolicy(document: PolicyDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
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
      const holdsBack = rule.effect === 'deny' || rule.effect === 'ask';
      // One that wants a passkey, or two people, and is not understood would run without.
      if (!holdsBack && (rule.presence ?? rule.approvers) === undefined) continue;
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
