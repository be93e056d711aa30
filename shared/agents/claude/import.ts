import { escapeGlob, isFields, restToken } from '../../engine/index.ts';
import type { Rule, RuleEffect } from '../../engine/index.ts';
import type { ImportedRule, ParsedImport, SkippedEntry } from '../../wire/index.ts';

/** A rule that has no id yet. */
type NewRule = Omit<Rule, 'id'>;

/** One word of a command in a rule, without its quotes. */
interface RuleWord {
  readonly text: string;
  readonly quoted: boolean;
}

/** What a shell does something with; a rule with these does not stand for plain words. */
const special = /[$`\\|&;<>(){}#!?[\]]/;

/**
 * The words of a command as they stand in a rule, `*` being the only wildcard. Null when they are
 * not plain: then nobody can say which words the shell would make of them.
 */
function plainWords(text: string): readonly RuleWord[] | null {
  if (/\p{Cc}/u.test(text.replaceAll('\t', ' '))) return null;
  const words: RuleWord[] = [];
  const token = /\s*(?:'([^']*)'|"([^"]*)"|([^\s'"]+))(?=\s|$)/y;
  const trimmed = text.trim();
  while (token.lastIndex < trimmed.length) {
    const found = token.exec(trimmed);
    if (found === null) return null;
    const quoted = found[3] === undefined;
    const word = found[1] ?? found[2] ?? found[3] ?? '';
    if (found[1] === undefined && special.test(word)) return null;
    words.push({ text: word, quoted });
  }
  return words;
}

/** `NAME=value` before a command. */
function isAssignment({ text, quoted }: RuleWord): boolean {
  return !quoted && /^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(text);
}

/** The words between the brackets of `Bash(…)`, and how the end of them is meant. */
interface BashRule {
  /** Without the `:*` or ` *` at its end. */
  readonly text: string;
  /**
   * `exact`: nothing follows. `any`: any further words or none (`:*`). `some`: one further word at
   * least (` *`).
   */
  readonly end: 'exact' | 'any' | 'some';
}

type ToolRule =
  /** Every command: `Bash`, `Bash(*)`. */
  | { readonly tool: 'bash'; readonly rule: null }
  | { readonly tool: 'bash'; readonly rule: BashRule }
  | { readonly tool: 'other' };

/** A permission rule of Claude Code, read as far as it is about commands. */
function toolRule(text: string): ToolRule {
  const found = /^Bash(?:\((.*)\))?$/s.exec(text.trim());
  if (found === null) return { tool: 'other' };
  const inner = (found[1] ?? '').trim();
  if (inner === '' || inner === '*' || inner === ':*') return { tool: 'bash', rule: null };
  if (inner.endsWith(':*')) {
    return { tool: 'bash', rule: { text: inner.slice(0, -2).trimEnd(), end: 'any' } };
  }
  const some = /^(.*\S)\s+\*$/s.exec(inner);
  if (some !== null) return { tool: 'bash', rule: { text: some[1] ?? '', end: 'some' } };
  return { tool: 'bash', rule: { text: inner, end: 'exact' } };
}

type AllowRule =
  | { readonly ok: true; readonly rule: NewRule; readonly note: string | null }
  /** Why it is not carried over, as a sentence. */
  | { readonly ok: false; readonly why: string };

/** One word at least, whatever it is. */
const anyWord = '**';

/**
 * An allow rule for a command of Claude Code. There it is held against the text of a command, here
 * against its words, so it may come out narrower; where it could come out wider there is none.
 */
function allowRule({ text, end }: BashRule): AllowRule {
  const words = plainWords(text);
  const [program, ...rest] = words ?? [];
  if (program === undefined) return no('It is written in shell syntax, not in plain words.');
  if (isAssignment(program)) return no('It sets a variable before the command.');
  if (program.text.includes('*')) return no('It names more than one program.');
  const pattern = programPattern(program.text);
  if (pattern === null)
    return no('Its program is named from a folder that the rule does not tell.');
  if (rest.some(({ text: word, quoted }) => quoted && word.includes('*')))
    return no('It has a wildcard within quotes.');
  const tokens = rest.map(({ text: word }) => tokenOf(word));
  const open = openEnd(rest);
  // As in "git push*": what follows the wildcard may be further words too.
  const tail = end === 'some' ? [anyWord, restToken] : end === 'any' || open ? [restToken] : [];
  const anything = rest.length === 0 && end === 'any';
  const inner = (open ? rest.slice(0, -1) : rest).some(({ text: word }) => word.includes('*'));
  return {
    ok: true,
    rule: { effect: 'allow', pattern, ...(anything ? {} : { args: [...tokens, ...tail] }) },
    note: inner ? 'A "*" between words stands for a part of one word here.' : null,
  };
}

/** A bare name is looked up in trusted folders; a path is taken as it is. */
function programPattern(word: string): string | null {
  if (word.startsWith('/') || word.startsWith('~/'))
    return word.startsWith('~') ? `~${escapeGlob(word.slice(1))}` : escapeGlob(word);
  return word.includes('/') ? null : escapeGlob(word);
}

function tokenOf(word: string): string {
  const escaped = word.split('*').map(escapeGlob).join('*');
  return escaped === restToken ? String.raw`\...` : escaped;
}

function openEnd(words: readonly RuleWord[]): boolean {
  return words.at(-1)?.text.endsWith('*') ?? false;
}

function no(why: string): AllowRule {
  return { ok: false, why };
}

interface HoldRule {
  readonly rule: NewRule;
  readonly note: string | null;
}

type Effect = 'deny' | 'ask';

const wider: Readonly<Record<Effect, string>> = {
  deny: 'It denies more here than it did: every use of this program.',
  ask: 'It asks about more here than it did: every use of this program.',
};

/**
 * A rule that denies or asks, from a command of Claude Code. Where it cannot say the same it says
 * more, never less; null when not even its program can be told.
 */
function holdRule(effect: Effect, { text, end }: BashRule): HoldRule | null {
  const words = plainWords(text)?.filter((word, index, all) => {
    const before = all.slice(0, index);
    return !(isAssignment(word) && before.every(isAssignment));
  });
  if (words === undefined) return byProgram(effect, text);
  const [program, ...rest] = words;
  if (program === undefined) return null;
  const named = { effect, pattern: programOf(program.text) };
  const dropped = (plainWords(text)?.length ?? 0) > words.length;
  const note = dropped ? 'It holds whatever variables are set before the command.' : null;
  const anywhere = program.text === '*';
  // A wildcard in the name may stand for further words too: then all arguments are meant.
  if (program.text.includes('*') && !anywhere)
    return { rule: named, note: rest.length === 0 ? note : wider[effect] };
  if (anywhere || rest.some(({ text: word }) => word.includes('*')))
    return { rule: { ...named, argPattern: expressionOf(rest, { end, anywhere }) }, note };
  if (rest.length === 0 && end !== 'exact') return { rule: named, note };
  const tokens = rest.map(({ text: word }) =>
    word === restToken ? String.raw`\...` : escapeGlob(word),
  );
  return { rule: { ...named, args: end === 'exact' ? tokens : [...tokens, restToken] }, note };
}

/** Of a text that is not plain words only the first one counts. */
function byProgram(effect: Effect, text: string): HoldRule | null {
  const [program] = plainWords(/^\s*\S+/.exec(text)?.[0] ?? '') ?? [];
  if (program === undefined || isAssignment(program)) return null;
  return { rule: { effect, pattern: programOf(program.text) }, note: wider[effect] };
}

/** By name wherever it is, unless the rule says exactly where; `*` alone is any program. */
function programOf(word: string): string {
  if (word === '*') return '**';
  if (word.startsWith('/')) return escapeWords(word);
  return escapeWords(word.slice(word.lastIndexOf('/') + 1)) || '**';
}

function escapeWords(word: string): string {
  return word.split('*').map(escapeGlob).join('*');
}

/** Over the words joined by a space, as the source is over the text. */
function expressionOf(
  words: readonly { readonly text: string }[],
  { end, anywhere }: { readonly end: BashRule['end']; readonly anywhere: boolean },
): string {
  const body = words.map(({ text }) => text.split('*').map(escapeExpression).join('.*')).join(' ');
  return `^${anywhere ? '(?:.* )?' : ''}${body}${end === 'exact' ? '$' : '(?: .*)?$'}`;
}

function escapeExpression(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

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
    if (!Array.isArray(list)) return { ok: false, error: `"permissions.${effect}" is not a list.` };
    for (const text of list as readonly unknown[]) {
      if (typeof text !== 'string')
        return { ok: false, error: `"permissions.${effect}" holds something that is not text.` };
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
