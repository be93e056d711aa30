import type { ExampleCheck } from '../policy/edit.ts';
import type { PolicyDocument, Rule } from '../policy/types.ts';
import { describeRule } from '../rules/describe.ts';
import type { Imported, ImportPreview, PreviewRule, SkippedEntry } from './types.ts';

type NewRule = Omit<Rule, 'id'>;

export interface PreviewOptions {
  /** The policy that the rules would be added to; null when there is none. */
  readonly document: PolicyDocument | null;
  /** Holds a rule against the examples that it brings along. */
  readonly check: ExampleCheck;
}

/** Imported rules beside what is there: in words, duplicates marked, examples tried out. */
export function previewOf(imported: Imported, { document, check }: PreviewOptions): ImportPreview {
  const there = new Set<string>();
  const agents = document?.agents ?? {};
  for (const [agent, { allowlist = [] }] of Object.entries(agents))
    for (const rule of allowlist) there.add(`${agent}\n${meaningOf(rule)}`);
  const rules: PreviewRule[] = [];
  const skipped: SkippedEntry[] = [...imported.skipped];
  for (const one of imported.rules) {
    const tried = tryExamples(one.rule, check);
    if (!tried.ok) {
      skipped.push({ from: one.from, why: tried.why, holdsBack: false });
      continue;
    }
    const meaning = meaningOf(one.rule);
    const duplicate = [one.agent, '*'].some((agent) => there.has(`${agent}\n${meaning}`));
    there.add(`${one.agent}\n${meaning}`);
    const note = [one.note, tried.note].filter((part) => part !== null).join(' ');
    rules.push({
      ...one,
      rule: tried.rule,
      note: note === '' ? null : note,
      sentence: describeRule(one.rule),
      duplicate,
    });
  }
  return { format: imported.format, rules, skipped };
}

/** What a rule does, without its name, notes and history, as text that can be compared. */
export function meaningOf(rule: NewRule): string {
  const { pattern, args, argPattern, writes, sha256, cwd, host, maxRisk } = rule;
  const { kind = 'exec', effect = 'allow', expiresAt = null } = rule;
  const what = [kind, effect, pattern, args, argPattern, writes, sha256, cwd, host, maxRisk];
  return JSON.stringify([...what, expiresAt]);
}

type Tried =
  | { readonly ok: true; readonly rule: NewRule; readonly note: string | null }
  | { readonly ok: false; readonly why: string };

/**
 * An allow rule that matches what its source says it must not is not taken. Other examples that
 * fail are left out, because they may be about programs that are not on this machine.
 */
function tryExamples(rule: NewRule, check: ExampleCheck): Tried {
  const { examples, ...bare } = rule;
  if (examples === undefined) return { ok: true, rule, note: null };
  const fails = (kind: 'match' | 'noMatch', command: string): boolean =>
    check({ ...bare, id: 'imported', examples: { [kind]: [command] } }).length > 0;
  const { match = [], noMatch = [] } = examples;
  const wrong = noMatch.filter((command) => fails('noMatch', command));
  const [first] = wrong;
  if (first !== undefined && (rule.effect ?? 'allow') === 'allow')
    return { ok: false, why: `It would allow "${first}", which its own example rules out.` };
  const missed = match.filter((command) => fails('match', command));
  const left = {
    match: match.filter((command) => !missed.includes(command)),
    noMatch: noMatch.filter((command) => !wrong.includes(command)),
  };
  const failing = [...missed, ...wrong];
  const kept = left.match.length + left.noMatch.length > 0 ? { examples: left } : {};
  return {
    ok: true,
    rule: { ...bare, ...kept },
    note:
      failing.length === 0
        ? null
        : `Examples that do not hold here were left out: ${failing.map((command) => `"${command}"`).join(', ')}.`,
  };
}
