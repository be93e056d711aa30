import { isBelow, parentOf } from '../plan/paths.ts';
import type { Stage } from '../plan/types.ts';
import type { ArgToken, NewRule } from '../policy/types.ts';
import { restToken } from '../rules/args.ts';
import { escapeGlob } from '../rules/glob.ts';
import { baseName, leadingArguments } from '../rules/matching.ts';
import type { ToolInUse } from '../tools/types.ts';
import { actionOf, isChanger, isFileTool, isProjectTool, isReader, isRunner } from './programs.ts';

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
function rulesForTool(tool: ToolInUse, { now, cwd }: ToolRuleOptions): StageRules {
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

/** The rules that could be offered for one stage; null where a width is not offered. */
export interface StageRules {
  readonly exact: NewRule;
  readonly subcommand: NewRule | null;
  readonly otherFile: NewRule | null;
  readonly program: NewRule | null;
}

export interface StageRuleOptions {
  readonly now: number;
  readonly hashFile: (path: string) => string | null;
}

/** Null when no rule may be offered for this stage at all. */
export function rulesForStage(stage: Stage, options: StageRuleOptions): StageRules | null {
  const { executable } = stage;
  if (executable.kind === 'tool')
    return rulesForTool(executable, { now: options.now, cwd: stage.cwd });
  const base = baseRule(stage, options);
  if (base === null || stage.trust.level === 'never' || stage.globs.length > 0) return null;
  const exact: NewRule = {
    ...base,
    args: stage.argv.slice(1).map(escapeToken),
    ...folderBound(stage),
  };
  const narrow = { exact, subcommand: null, otherFile: null, program: null };
  if (stage.trust.level === 'pinned') {
    // What a script runner does depends on the folder it does it in.
    if (stage.reads.length > 0 || stage.cwd === null) return null;
    const cwd = escapeGlob(stage.cwd);
    const leading = stage.carries.some((inner) => isRunner(nameOf(inner)))
      ? null
      : leadingArguments(stage);
    const start = stage.argv.slice(1, 1 + (leading ?? 0)).map(escapeToken);
    return {
      ...narrow,
      exact: { ...exact, cwd },
      subcommand:
        leading === null ? null : { ...base, cwd, maxRisk: 'low', args: [...start, restToken] },
    };
  }
  if (stage.carries.length > 0) return narrow;
  return { exact, ...widerRules(stage, { ...base, maxRisk: 'low' }) };
}

function widerRules(
  stage: Stage,
  base: NewRule,
): { subcommand: NewRule | null; otherFile: NewRule | null; program: NewRule | null } {
  const name = nameOf(stage);
  const args = stage.argv.slice(1);
  const action = actionOf(name, args);
  const tokens = isFileTool(name) ? withOtherFile(args) : null;
  return {
    subcommand: action === null ? null : { ...base, args: [...action.map(escapeToken), restToken] },
    otherFile: tokens === null ? null : { ...base, args: tokens },
    program: isReader(name) ? base : null,
  };
}

/** Program, effect and writes: what all widths have in common. */
function baseRule(stage: Stage, { now, hashFile }: StageRuleOptions): NewRule | null {
  const { executable } = stage;
  const common = {
    effect: 'allow',
    source: 'allow-always',
    createdAt: now,
    ...(isProjectTool(nameOf(stage)) && stage.cwd !== null
      ? { cwd: `${escapeGlob(stage.cwd)}/**` }
      : {}),
    ...(stage.writes.length === 0 ? {} : { writes: stage.writes.map(escapeGlob) }),
  } as const;
  if (executable.kind === 'missing' || executable.kind === 'tool') return null;
  if (executable.kind === 'builtin') return { pattern: escapeGlob(executable.name), ...common };
  const names = [executable.path, executable.realPath, executable.name].map(baseName);
  if (names.some(isRunner)) return null;
  const rule = { pattern: escapeGlob(executable.realPath), ...common };
  if (!executable.agentWritable) return rule;
  const sha256 = hashFile(executable.realPath);
  return sha256 === null ? null : { ...rule, sha256 };
}

/** The same words mean other files in another folder, which matters when those are changed or run. */
function folderBound(stage: Stage): { readonly cwd?: string } {
  const { argv, cwd, reads } = stage;
  if (cwd === null) return {};
  const name = nameOf(stage);
  const relative = argv.slice(1).filter((word) => !/^(?:-|\/|[a-z]+:\/\/)/.test(word));
  const changes = isChanger(name) ? relative.length > 0 : false;
  const unknown = !isFileTool(name) && actionOf(name, argv.slice(1)) === null;
  const bound = reads.length > 0 || changes || (unknown && relative.some(looksLikeFile));
  return bound && !isProjectTool(name) ? { cwd: escapeGlob(cwd) } : {};
}

/** `...` as a word of the command, not as "anything after". */
function escapeToken(word: string): string {
  return word === restToken ? String.raw`\...` : escapeGlob(word);
}

/** Words that are files become "a file in the same folder", or any file below when they are relative. */
function withOtherFile(args: readonly string[]): readonly ArgToken[] | null {
  const end = args.indexOf('--');
  let replaced = 0;
  const tokens = args.map((word, index) => {
    const isOption = word.startsWith('-') && (end < 0 || index <= end);
    if (isOption || !looksLikeFile(word)) return escapeToken(word);
    replaced += 1;
    const folder = word.slice(0, word.lastIndexOf('/') + 1);
    return word.startsWith('/') ? `${escapeGlob(folder)}*` : '[!-]**';
  });
  return replaced === 0 ? null : tokens;
}

/** Has a folder or an ending; neither climbs nor is a pattern or a sentence. */
function looksLikeFile(word: string): boolean {
  return (
    /^[\w@./+-]+$/.test(word) &&
    !/(?:^|\/)\.\.(?:\/|$)/.test(word) &&
    /\/|\.[A-Za-z]\w*$/.test(word)
  );
}

/** The name that a person knows it by: `awk`, not `mawk`. */
export function nameOf({ executable }: Stage): string {
  return baseName(executable.kind === 'file' ? executable.path : executable.name);
}
