import type { ArgToken, Rule } from '../policy/types.ts';
import { restToken } from './args.ts';

/** What a rule matches, in words: `git status … in ~/src/**, on host node`. */
export function describeRule(rule: Rule | Omit<Rule, 'id'>): string {
  const parts = [`${programWords(rule)}${argumentWords(rule)}`];
  if (rule.writes !== undefined) parts.push(`writing ${rule.writes.join(', ')}`);
  if (rule.cwd !== undefined) parts.push(`in ${rule.cwd}`);
  if (rule.host !== undefined) parts.push(`on host ${rule.host}`);
  if (rule.sha256 !== undefined) parts.push('while its content stays as it is');
  if (rule.maxRisk !== undefined) parts.push('unless it looks dangerous');
  return parts.join(', ');
}

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
