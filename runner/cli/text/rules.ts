import { displayPlain } from '../../../shared/display/display.ts';
import type { PolicyDocument, PolicyModes, Rule } from '../../../shared/policy/types.ts';

/** A policy for a person: modes and rules of each agent, line by line, display-safe. */
export function policyLines(document: PolicyDocument): readonly string[] {
  const agents = Object.entries(document.agents ?? {});
  return [
    `defaults   ${modesOf(document.defaults ?? {})}`,
    ...agents.flatMap(([agent, policy]) => [
      `${agent.padEnd(10)} ${modesOf(policy)}`,
      ...(policy.allowlist ?? []).map((rule) => `  ${ruleLine(rule)}`),
    ]),
  ].map(displayPlain);
}

/** One rule on one line. */
export function ruleLine(rule: Rule): string {
  const words = [
    rule.id,
    (rule.effect ?? 'allow').padEnd(5),
    ...(rule.kind === undefined || rule.kind === 'exec'
      ? [rule.pattern, ...argumentWords(rule)]
      : [rule.kind, rule.pattern, ...(rule.tool === undefined ? [] : [`with ${rule.tool}`])]),
    ...(rule.cwd === undefined ? [] : [`in ${rule.cwd}`]),
    ...(typeof rule.expiresAt === 'number'
      ? [`until ${new Date(rule.expiresAt).toISOString()}`]
      : []),
    ...(rule.note === undefined ? [] : [`— ${rule.note}`]),
  ];
  return words.join('  ');
}

function argumentWords({ args, argPattern }: Rule): readonly string[] {
  if (args?.length === 0) return ['(no arguments)'];
  if (args !== undefined)
    return args.map((token) => (typeof token === 'string' ? token : `{${token.join(',')}}`));
  return argPattern === undefined ? ['(any arguments)'] : [`/${argPattern}/`];
}

function modesOf({ security, ask, askFallback }: PolicyModes): string {
  const words = [
    security === undefined ? null : `security ${security}`,
    ask === undefined ? null : `ask ${ask}`,
    askFallback === undefined ? null : `fallback ${askFallback}`,
  ].filter((word) => word !== null);
  return words.length === 0 ? 'as above' : words.join(', ');
}
