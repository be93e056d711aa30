import type { ArgToken, RequestKind, Rule } from '../policy/types.ts';
import { restToken } from './args.ts';

/** What a rule matches, in words: `git status … in ~/src/**, on host node`. */
export function describeRule(rule: Rule | Omit<Rule, 'id'>): string {
  const parts = [whatWords(rule)];
  if (rule.writes !== undefined) parts.push(`writing ${rule.writes.join(', ')}`);
  if (rule.cwd !== undefined) parts.push(`in ${rule.cwd}`);
  if (rule.host !== undefined) parts.push(`on host ${rule.host}`);
  if (rule.sha256 !== undefined) parts.push('while its content stays as it is');
  if (rule.maxRisk !== undefined) parts.push('unless it looks dangerous');
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
