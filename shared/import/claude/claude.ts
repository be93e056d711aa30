import { isFields } from '../../policy/legacy.ts';
import type { RuleEffect } from '../../policy/types.ts';
import type { ImportedRule, ParsedImport, SkippedEntry } from '../types.ts';
import { allowRule } from './allow.ts';
import { toolRule } from './bash-rule.ts';
import { holdRule } from './hold.ts';

const agent = 'claude';
const effects: readonly RuleEffect[] = ['deny', 'ask', 'allow'];

/** Other fields of `permissions` that decide something, and what is to be said of them. */
const otherFields: Readonly<Record<string, string>> = {
  defaultMode: 'Modes are not carried over: set the security of the agent yourself.',
  additionalDirectories: 'Folders of the file tools are not for commands.',
  disableBypassPermissionsMode: 'It is about Claude Code itself.',
};

type Entry = { readonly rule: ImportedRule } | { readonly skipped: SkippedEntry };

/** The command rules of a `settings.json` of Claude Code, parsed. */
export function readClaude(settings: unknown): ParsedImport {
  const permissions = isFields(settings) ? settings['permissions'] : undefined;
  if (!isFields(permissions)) return { ok: false, error: 'It has no "permissions".' };
  const rules: ImportedRule[] = [];
  const skipped: SkippedEntry[] = [];
  for (const effect of effects) {
    const list = permissions[effect] ?? [];
    if (!Array.isArray(list)) return { ok: false, error: `"permissions.${effect}" is no list.` };
    for (const text of list as readonly unknown[]) {
      if (typeof text !== 'string')
        return { ok: false, error: `"permissions.${effect}" holds something that is no text.` };
      const entry = entryOf(effect, text);
      if ('rule' in entry) rules.push(entry.rule);
      else skipped.push(entry.skipped);
    }
  }
  for (const [field, why] of Object.entries(otherFields)) {
    if (permissions[field] === undefined) continue;
    skipped.push({
      from: `${field}: ${JSON.stringify(permissions[field])}`,
      why,
      holdsBack: false,
    });
  }
  return { ok: true, imported: { format: 'claude', rules, skipped } };
}

function entryOf(effect: RuleEffect, from: string): Entry {
  const tool = toolRule(from);
  const skip = (why: string, holdsBack = effect !== 'allow'): Entry => ({
    skipped: { from, why, holdsBack },
  });
  if (tool.tool === 'other')
    return skip('It is for another tool: here are the rules for commands.');
  if (effect === 'allow') {
    if (tool.rule === null)
      return skip('It allows every command. If you want that, set the security to full yourself.');
    const allowed = allowRule(tool.rule);
    if (!allowed.ok) return skip(allowed.why);
    return { rule: { agent, from, rule: allowed.rule, note: allowed.note } };
  }
  if (tool.rule === null)
    return { rule: { agent, from, rule: { effect, pattern: '**' }, note: null } };
  const held = holdRule(effect, tool.rule);
  if (held === null) return skip('It cannot be told which program it is for. Add a rule by hand.');
  return { rule: { agent, from, ...held } };
}
