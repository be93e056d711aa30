import { recordOf } from '../programs/list.ts';
import type { ArgToken, PolicyDocument, RequestKind, Rule } from '../policy/types.ts';
import { restToken } from './args.ts';
import { isPathPattern } from './compiled-rule.ts';

/** What a rule matches, in words: `git status … in ~/src/**, on host node`. */
export function describeRule(rule: Rule | Omit<Rule, 'id'>): string {
  const parts = [whatWords(rule)];
  if (rule.only === 'reads') parts.push('where it only reads');
  if (rule.env !== undefined) parts.push(`with exactly ${rule.env.join(' ') || 'nothing'} set`);
  if (rule.writes?.length === 0) parts.push('changing no file');
  else if (rule.writes !== undefined) parts.push(`writing ${rule.writes.join(', ')}`);
  if (rule.cwd !== undefined) parts.push(`in ${rule.cwd}`);
  if (rule.host !== undefined) parts.push(`on host ${rule.host}`);
  if (rule.sha256 !== undefined) parts.push('while its content stays as it is');
  if (rule.files !== undefined) parts.push('while the files that it goes by stay as they are');
  if (rule.maxRisk !== undefined) parts.push('unless it looks dangerous');
  if ((rule.approvers ?? 1) > 1) parts.push('by two people with a passkey each');
  else if (rule.presence === 'passkey') parts.push('with a passkey');
  return parts.join(', ');
}

function whatWords(rule: Omit<Rule, 'id'>): string {
  const { kind = 'exec', pattern, tool } = rule;
  if (kind === 'exec') return `${programWords(rule)}${argumentWords(rule)}`;
  const target = pattern === '**' ? anyTarget[kind] : pattern;
  return `${verbs[kind]} ${target}${tool === undefined ? '' : ` with ${tool}`}`;
}

type OtherKind = Exclude<RequestKind, 'exec'>;
const verbs: Readonly<Record<OtherKind, string>> = {
  edit: 'changing',
  fetch: 'fetching',
  mcp: 'using',
  egress: 'reaching',
};
const anyTarget: Readonly<Record<OtherKind, string>> = {
  edit: 'any file',
  fetch: 'any address',
  mcp: 'any tool',
  egress: 'anything',
};

function programWords({ pattern }: Pick<Rule, 'pattern'>): string {
  return pattern === '**' || pattern === '*' ? 'any program' : pattern;
}

function argumentWords(rule: Pick<Rule, 'args' | 'argPattern'>): string {
  const words = rule.args === undefined ? '' : tokensText(rule.args);
  if (rule.argPattern !== undefined) return `${words} with arguments like /${rule.argPattern}/`;
  return rule.args === undefined ? ' with any arguments' : words;
}

function tokensText(tokens: readonly ArgToken[]): string {
  if (tokens.length === 0) return ' without arguments';
  const words = tokens.map((token) => {
    if (token === restToken) return '…';
    return typeof token === 'string' ? token || "''" : `(${token.join('|')})`;
  });
  return ` ${words.join(' ')}`;
}

export type ReviewCode =
  'never-used' | 'long-unused' | 'expired' | 'too-wide' | 'any-program' | 'everything';

/** Something about a rule that a person should look at again. */
export interface ReviewFinding {
  readonly agent: string;
  readonly ruleId: string;
  readonly code: ReviewCode;
  readonly level: 'hint' | 'warning';
  /** For a person. */
  readonly sentence: string;
}

const dayMs = 86_400_000;

/** A new rule has this many days to be used before anybody wonders. */
const graceDays = 14;
const unusedDays = 90;

/** Whether it runs other programs or code, or changes what cannot be had back. */
function isPowerful(name: string): boolean {
  const record = recordOf(name);
  if (record === null) return false;
  const { runs, project, elsewhere, ownRules, grammar } = record;
  const does = [runs, project, elsewhere, ownRules].some((one) => one !== undefined);
  return does || grammar.offers === 'exact' || typeof grammar.offers === 'function';
}

/** Which rules were never used or not for long, have ended, or allow more than a rule should. */
export function reviewRules(document: PolicyDocument, now: number): readonly ReviewFinding[] {
  return Object.entries(document.agents ?? {}).flatMap(([agent, { allowlist = [] }]) =>
    allowlist.flatMap((rule) =>
      [ended(rule, now) ?? unused(rule, now), width(rule)].flatMap((found) =>
        found === null ? [] : [{ agent, ruleId: rule.id, ...found }],
      ),
    ),
  );
}

type Found = Omit<ReviewFinding, 'agent' | 'ruleId'>;

function ended({ expiresAt }: Rule, now: number): Found | null {
  if (expiresAt === undefined || expiresAt === null || expiresAt > now) return null;
  return {
    code: 'expired',
    level: 'hint',
    sentence: 'It has expired and decides nothing any more. You can delete it.',
  };
}

/** Only what allows is better gone when nobody uses it: a denial that never came true is well. */
function unused(rule: Rule, now: number): Found | null {
  if ((rule.effect ?? 'allow') !== 'allow') return null;
  const { lastUsedAt, createdAt } = rule;
  if (lastUsedAt !== undefined) {
    const days = Math.floor((now - lastUsedAt) / dayMs);
    return days < unusedDays
      ? null
      : {
          code: 'long-unused',
          level: 'hint',
          sentence: `It was last used ${String(days)} days ago. Delete it if you need it no more.`,
        };
  }
  // Nobody knows how old a rule without a date is.
  if (createdAt === undefined || now - createdAt < graceDays * dayMs) return null;
  const days = Math.floor((now - createdAt) / dayMs);
  return {
    code: 'never-used',
    level: 'hint',
    sentence: `It was never used since it was made ${String(days)} days ago. Delete it if you need it no more.`,
  };
}

function width(rule: Rule): Found | null {
  if ((rule.effect ?? 'allow') !== 'allow' || rule.sha256 !== undefined) return null;
  const { pattern } = rule;
  if ((rule.kind ?? 'exec') !== 'exec') return coversEverything(pattern) ? everything : null;
  if (coversMany(pattern))
    return {
      code: 'any-program',
      level: 'warning',
      sentence: 'It names many programs at once. Name each program that you mean.',
    };
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  if (!isPowerful(name) || !takesAnything(rule) || rule.writes?.length === 0) return null;
  if (rule.only === 'reads') return null;
  return {
    code: 'too-wide',
    level: 'warning',
    sentence: `It allows ${name} with any arguments, and ${name} can run or change more than you may think of. Say which arguments you mean.`,
  };
}

const everything: Found = {
  code: 'everything',
  level: 'warning',
  sentence:
    'It covers everything of its kind. Name the folder, the site or the server that you mean.',
};

/** Every file, also of the whole home; every address; every tool. */
export function coversEverything(pattern: string): boolean {
  return /^(?:[*?/]+|~\/\*\*|[a-z]*\**:\/\/\*+(?:\/\**)?)$/.test(pattern);
}

/** No argument is left out. */
export function takesAnything({ args, argPattern }: Rule): boolean {
  if (argPattern !== undefined) return ['', '.*', '^.*$', '^'].includes(argPattern);
  return args === undefined || (args.length === 1 && args[0] === restToken);
}

/** A wildcard that can stand for the whole name of a program. */
export function coversMany(pattern: string): boolean {
  const name = isPathPattern(pattern) ? pattern.slice(pattern.lastIndexOf('/') + 1) : pattern;
  return name === '**' || /^[*?]+$/.test(name);
}
