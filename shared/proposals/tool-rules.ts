import { isBelow, parentOf } from '../analysis/resolve/paths.ts';
import { escapeGlob } from '../rules/glob.ts';
import type { ToolInUse } from '../tools/types.ts';
import type { NewRule, StageRules } from './stage-rules.ts';

export interface ToolRuleOptions {
  readonly now: number;
  /** The working folder, where it is known. */
  readonly cwd: string | null;
}

/**
 * The rules that could be offered for the use of a tool: this very target; its folder; everything
 * below the working folder, of the same site or of the same server. The wide ones hold only for
 * what does not look dangerous.
 */
export function rulesForTool(tool: ToolInUse, { now, cwd }: ToolRuleOptions): StageRules {
  const common = {
    effect: 'allow',
    kind: tool.use,
    source: 'allow-always',
    createdAt: now,
  } as const;
  const wide = (pattern: string | null): NewRule | null =>
    pattern === null ? null : { pattern, ...common, maxRisk: 'low' };
  return {
    exact: { pattern: escapeGlob(tool.target), ...common },
    otherFile: wide(tool.use === 'edit' ? `${escapeGlob(parentOf(tool.target))}/*` : null),
    subcommand: wide(wider(tool, cwd)),
    program: null,
  };
}

function wider({ use, target }: ToolInUse, cwd: string | null): string | null {
  if (use === 'edit')
    return cwd !== null && cwd !== '/' && isBelow(target, cwd) ? `${escapeGlob(cwd)}/**` : null;
  const start = /^(?:https?:\/\/[^/]+|[^/]+)\//.exec(target)?.[0];
  if (start === undefined) return null;
  return use === 'fetch' && !start.startsWith('http') ? null : `${escapeGlob(start)}**`;
}

/** What such a rule would allow, as a part of a sentence. */
export function toolClause({ use, name, target }: ToolInUse, { pattern }: NewRule): string {
  if (pattern === escapeGlob(target)) return `${name} on exactly ${target}`;
  const place = pattern.replaceAll(/\\(.)/g, '$1');
  if (use === 'edit')
    return place.endsWith('/**')
      ? `changes to any file in ${place.slice(0, -3)} and below`
      : `changes to any file in ${place.slice(0, -2)}`;
  const whole = place.slice(0, -3);
  return use === 'fetch' ? `any address of ${whole}` : `every tool of ${whole}`;
}
