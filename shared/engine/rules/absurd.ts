import type { PolicyDocument, Rule } from '../policy/types.ts';
import { recordOf } from '../programs/list.ts';
import { isPathPattern } from './compiled-rule.ts';
import { coversEverything, coversMany, describeRule, takesAnything } from './review.ts';

/** What a rule does, as one sentence for the person who adds it. */
export function sentenceOf(rule: Rule, agent: string): string {
  const verb = { allow: 'Allows', ask: 'Asks about', deny: 'Denies' }[rule.effect ?? 'allow'];
  const whom = agent === '*' ? 'every agent' : agent;
  const until =
    typeof rule.expiresAt === 'number'
      ? `, until ${new Date(rule.expiresAt).toISOString().slice(0, 16)} UTC`
      : '';
  const said = `${verb} ${whom}: ${describeRule(rule)}${until}`;
  return said.endsWith('…') ? said : `${said}.`;
}

/** A rule that an edit brings in, and why it can hardly be meant. */
interface AbsurdRule {
  readonly agent: string;
  readonly rule: Rule;
  /** For a person. */
  readonly sentence: string;
}

/**
 * The rules in a document that were not in the one before it and can hardly be meant: they open
 * everything, allow any code, can never match, or stand under a denial of the same.
 */
export function absurdAmong(before: PolicyDocument, after: PolicyDocument): readonly AbsurdRule[] {
  return Object.entries(after.agents ?? {}).flatMap(([agent, { allowlist = [] }]) => {
    const old = before.agents?.[agent]?.allowlist ?? [];
    if (old === allowlist) return [];
    // A list of thousands, of which one is new, is the usual edit.
    const there = new Set<Rule>(old);
    const texts = new Map(old.map((rule) => [rule.id, rule]));
    return allowlist.flatMap((rule): readonly AbsurdRule[] => {
      if (there.has(rule) || isSame(texts.get(rule.id), rule)) return [];
      const sentence = absurdityOf(rule, deniedFor(after, agent));
      return sentence === null ? [] : [{ agent, rule, sentence }];
    });
  });
}

function isSame(old: Rule | undefined, rule: Rule): boolean {
  return old !== undefined && saidIn(old) === saidIn(rule);
}

function saidIn(rule: Rule): string {
  const { lastUsedAt: _, uses: __, lastUsedCommand: ___, lastResolvedPath: ____, ...said } = rule;
  return JSON.stringify(said);
}

/** Denials that hold for an agent: its own and everybody's. */
function deniedFor(document: PolicyDocument, agent: string): readonly Rule[] {
  const names = agent === '*' ? ['*'] : ['*', agent];
  return names.flatMap((name) =>
    (document.agents?.[name]?.allowlist ?? []).filter(({ effect }) => effect === 'deny'),
  );
}

/** Why a rule can hardly be meant, or null. */
function absurdityOf(rule: Rule, denials: readonly Rule[]): string | null {
  return (
    neverMatching(rule) ??
    ((rule.effect ?? 'allow') === 'allow' ? (opening(rule) ?? anyCode(rule)) : null) ??
    shadowed(rule, denials)
  );
}

/** What stands at the beginning of a glob that an absolute path can match. */
const absolute = /^(?:[/~*?[{\\]|$)/;

function neverMatching(rule: Rule): string | null {
  const { kind = 'exec', pattern, cwd, writes = [] } = rule;
  const isAboutPaths = kind === 'edit' || (kind === 'exec' && isPathPattern(pattern));
  const relative = [
    ...(isAboutPaths ? [pattern] : []),
    ...(cwd === undefined ? [] : [cwd]),
    ...writes,
  ].find((glob) => !absolute.test(glob));
  if (relative !== undefined)
    return `It can never match: paths are absolute, and "${relative}" begins with none of / ~ *.`;
  if (kind === 'fetch' && !/^[*?[{\\]|^[^/]*:\/\//.test(pattern))
    return `It can never match: addresses begin with a scheme, as in https://${pattern}.`;
  if (kind === 'mcp' && !/[*/]/.test(pattern))
    return `It can never match: tools are named server/tool, as in ${pattern}/**.`;
  return null;
}

/** Folders that hold the programs of the whole machine. */
const systemFolders = /^(?:.*[*?].*|\/(?:usr\/(?:local\/)?)?s?bin|\/opt\/homebrew\/bin)$/;

function opening(rule: Rule): string | null {
  const { kind = 'exec', pattern, tool, sha256, cwd } = rule;
  if (sha256 !== undefined || cwd !== undefined || rule.only !== undefined) return null;
  if (kind !== 'exec')
    return coversEverything(pattern) && tool === undefined
      ? 'It opens everything of its kind: name the folder, the site or the server that you mean.'
      : null;
  if (!coversMany(pattern) || !takesAnything(rule)) return null;
  const folder = pattern.slice(0, Math.max(0, pattern.lastIndexOf('/')));
  return folder === '' || systemFolders.test(folder)
    ? 'It opens everything: any program with any arguments. Name the programs that you mean.'
    : null;
}

function anyCode(rule: Rule): string | null {
  if ((rule.kind ?? 'exec') !== 'exec' || rule.sha256 !== undefined) return null;
  if (rule.only === 'reads') return null;
  // Without arguments it runs what its input says.
  if (!takesAnything(rule) && rule.args?.length !== 0) return null;
  const name = rule.pattern.slice(rule.pattern.lastIndexOf('/') + 1);
  if (recordOf(name)?.runs !== 'code') return null;
  return `${name} runs any code that it is given, so this would cover next to nothing: code is asked about all the same. Name the script, as in: ${name} ./build.js`;
}

function shadowed(rule: Rule, denials: readonly Rule[]): string | null {
  if (rule.effect === 'deny') return null;
  const above = denials.find((denial) => covers(denial, rule));
  return above === undefined
    ? null
    : `It can never count: the rule ${above.id} denies ${describeRule(above)}, and a denial comes first.`;
}

/** Whether a denial holds wherever a rule does, as far as that can be seen from their words. */
function covers(denial: Rule, rule: Rule): boolean {
  if ((denial.kind ?? 'exec') !== (rule.kind ?? 'exec')) return false;
  if (denial.tool !== undefined && denial.tool !== rule.tool) return false;
  if (denial.cwd !== undefined && denial.cwd !== rule.cwd) return false;
  if (denial.host !== undefined && denial.host !== rule.host) return false;
  if (denial.sha256 !== undefined || typeof denial.expiresAt === 'number') return false;
  if (!namesAlso(denial, rule)) return false;
  if (takesAnything(denial)) return true;
  return (
    denial.argPattern === rule.argPattern &&
    JSON.stringify(denial.args) === JSON.stringify(rule.args)
  );
}

function namesAlso(denial: Rule, rule: Rule): boolean {
  const { pattern } = denial;
  if (pattern === rule.pattern) return true;
  if ((denial.kind ?? 'exec') !== 'exec') return coversEverything(pattern);
  if (pattern === '*' || pattern === '**') return true;
  const name = rule.pattern.slice(rule.pattern.lastIndexOf('/') + 1);
  return !isPathPattern(pattern) && pattern === name;
}
