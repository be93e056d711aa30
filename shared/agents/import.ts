import { parseJson } from '../base/index.ts';
import { describeRule, escapeGlob, isFields } from '../engine/index.ts';
import type { ExampleCheck, PolicyChange, PolicyDocument, Rule } from '../engine/index.ts';
import type {
  ImportFormat,
  ImportPreview,
  Imported,
  ParsedImport,
  PreviewRule,
  SkippedEntry,
} from '../wire/index.ts';
import type { RuleFiles } from './host.ts';
import { readOpenClaw } from './openclaw.ts';
import { alternatives, hosts, recordOf, titleOf } from './registry.ts';

type NewRule = Omit<Rule, 'id'>;

interface PreviewOptions {
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
function meaningOf(rule: NewRule): string {
  const { pattern, args, argPattern, env, writes, only, sha256, cwd, host, maxRisk } = rule;
  const { kind = 'exec', effect = 'allow', expiresAt = null } = rule;
  const what = [
    kind,
    effect,
    pattern,
    args,
    argPattern,
    env,
    writes,
    only,
    sha256,
    cwd,
    host,
    maxRisk,
  ];
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

/**
 * Imported rules as changes of the policy, duplicates left out, each under a fresh id. Modes stay as
 * they are: an import never makes `security` or `ask` looser.
 */
export function changesOf(
  rules: readonly PreviewRule[],
  newId: () => string,
): readonly PolicyChange[] {
  const wanted = rules.filter(({ duplicate }) => !duplicate);
  return [...new Set(wanted.map(({ agent }) => agent))].map((agent) => ({
    change: 'add',
    agent,
    rules: wanted
      .filter((one) => one.agent === agent)
      .map(({ rule }) => ({ ...rule, id: newId(), source: 'import' })),
  }));
}

/** No rule file is longer, in characters. */
const importLimit = 4 * 1024 * 1024;

interface ReadOptions {
  /** Absent: told from the text. */
  readonly format?: ImportFormat | undefined;
  /** Whose rules they become; absent: as the file says, else the agent that wrote the file. */
  readonly agent?: string | undefined;
  /** Absolute: the rules hold in this folder and below. */
  readonly folder?: string | undefined;
}

/**
 * The command rules in a file of another program. They never allow more than the file did; what is
 * not carried over is listed with a reason.
 */
export function readRules(text: string, options: ReadOptions = {}): ParsedImport {
  if (text.length > importLimit) return { ok: false, error: 'The file is too long.' };
  const format = options.format ?? formatOf(text);
  if (format === null)
    return {
      ok: false,
      error: `This is no rule file of ${programs()}, and no policy.`,
    };
  const parsed = readAs(format, text);
  if (!parsed.ok) return parsed;
  const { imported } = parsed;
  return { ok: true, imported: { ...imported, rules: imported.rules.map(placed(options)) } };
}

function programs(): string {
  return alternatives(['OpenClaw', ...ruleFiles().map(({ title }) => title)]);
}

/** Which program wrote the file, or null. */
export function formatOf(text: string): ImportFormat | null {
  const value = jsonOf(text);
  const theirs = ruleFiles().find(({ isTheirs }) => isTheirs(text, value));
  return theirs?.format ?? (isFields(value) ? 'openclaw' : null);
}

function readAs(format: ImportFormat, text: string): ParsedImport {
  const theirs = ruleFiles().find((one) => one.format === format);
  return theirs === undefined ? readOpenClaw(text) : theirs.read(text, jsonOf(text));
}

/** What is known of the rule files of hosts, in the order of their list. */
export function ruleFiles(): readonly (RuleFiles & { readonly title: string })[] {
  return hosts.flatMap((host) => {
    const { rules } = recordOf(host);
    return rules === null ? [] : [{ ...rules, title: titleOf(host) }];
  });
}

type Parsed = Extract<ParsedImport, { ok: true }>['imported']['rules'][number];

function placed({ agent, folder }: ReadOptions): (rule: Parsed) => Parsed {
  const below = folder === undefined ? undefined : `${escapeFolder(folder)}/**`;
  return (imported) => ({
    ...imported,
    agent: agent ?? imported.agent,
    // A rule with a folder of its own keeps it: that is narrower, or was meant.
    rule:
      below === undefined || imported.rule.cwd !== undefined
        ? imported.rule
        : { ...imported.rule, cwd: below },
  });
}

function escapeFolder(folder: string): string {
  return escapeGlob(folder.replace(/\/+$/, ''));
}

function jsonOf(text: string): unknown {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : undefined;
}
