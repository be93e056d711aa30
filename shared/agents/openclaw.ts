import { argumentDigest, parsePolicy, ruleProblem } from '../engine/index.ts';
import type { AgentPolicy, PolicyDocument, Rule } from '../engine/index.ts';
import type { ImportedRule, ParsedImport, SkippedEntry } from '../wire/index.ts';

/** What its programs wrote for a whole command text, which a hash does not give back. */
const commandHash = /^=(?:node-)?command:/;

/** The rules of an approvals file, of OpenClaw up to 2026.7 or of this program, agent by agent. */
export function readOpenClaw(text: string): ParsedImport {
  const parsed = parsePolicy(text);
  if (!parsed.ok) return { ok: false, error: parsed.problem.message };
  const { document } = parsed;
  const rules: ImportedRule[] = [];
  const skipped: SkippedEntry[] = modesOf(document);
  for (const [agent, policy] of Object.entries(document.agents ?? {})) {
    for (const { id: _id, ...rule } of policy.allowlist ?? []) {
      const why = objection(rule);
      const from = rule.pattern;
      if (why === null) rules.push({ agent, from, rule, note: null });
      else skipped.push({ from: `${agent}: ${from}`, why, holdsBack: holdsBack(rule) });
    }
    if ('mcpTools' in policy)
      skipped.push({
        from: `${agent}: mcpTools`,
        why: 'It is for tools, not for commands.',
        holdsBack: false,
      });
  }
  return { ok: true, imported: { format: 'openclaw', rules, skipped } };
}

function objection(rule: Omit<Rule, 'id'>): string | null {
  if (commandHash.test(rule.pattern))
    return 'It stands for one command text by its hash, and the text cannot be told from that.';
  const { argPattern } = rule;
  if (argPattern?.startsWith('sha256:') === true && argumentDigest(argPattern) === null)
    return 'It is bound to arguments in an old way that matches nothing any more.';
  const problem = ruleProblem({ ...rule, id: 'imported' });
  return problem === null ? null : `It cannot be understood: ${problem}`;
}

function holdsBack({ effect }: Omit<Rule, 'id'>): boolean {
  return effect === 'deny' || effect === 'ask';
}

function modesOf({ defaults, agents = {} }: PolicyDocument): SkippedEntry[] {
  const levels: [string, AgentPolicy][] = [['defaults', defaults ?? {}], ...Object.entries(agents)];
  return levels.flatMap(([name, { allowlist: _rules, mcpTools: _tools, ...modes }]) => {
    const set = Object.entries(modes).filter(([field]) => !field.startsWith('x-'));
    if (set.length === 0) return [];
    return [
      {
        from: `${name}: ${set.map(([field, value]) => `${field} ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', ')}`,
        why: 'Modes are not carried over: set them yourself.',
        holdsBack: false,
      },
    ];
  });
}
