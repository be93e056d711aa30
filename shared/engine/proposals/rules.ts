import type { Clause } from './clauses.ts';
import { isBelow, parentOf } from '../plan/paths.ts';
import type { Stage } from '../plan/types.ts';
import type { ArgToken, NewRule } from '../policy/types.ts';
import { onlyPrints, proposalShape } from '../programs/judge.ts';
import { recordOf } from '../programs/list.ts';
import { isRunner, readNamed } from '../programs/named.ts';
import { whyForMachine } from '../programs/unasked.ts';
import { restToken } from '../rules/args.ts';
import { escapeGlob } from '../rules/glob.ts';
import { redact } from '../redact/redact.ts';
import { baseName, leadingArguments } from '../rules/matching.ts';
import { givenTo } from '../rules/variables.ts';
import { escapeToken, isHeldByText, nameOf, noWider, rulesForCode } from './code.ts';
import { localGitRules } from '../starters/local-git.ts';
import type { ToolInUse } from '../tools/types.ts';

interface ToolRuleOptions {
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
    ...noWider,
    otherFile: wide(tool.use === 'edit' ? `${escapeGlob(parentOf(tool.target))}/*` : null),
    subcommand: wide(wider(tool, cwd)),
  };
}

function wider({ use, target }: ToolInUse, cwd: string | null): string | null {
  if (use === 'edit')
    return cwd !== null && cwd !== '/' && isBelow(target, cwd) ? `${escapeGlob(cwd)}/**` : null;
  const start = /^(?:https?:\/\/[^/]+|[^/]+)\//.exec(target)?.[0];
  if (start === undefined) return null;
  return use === 'fetch' && !start.startsWith('http') ? null : `${escapeGlob(start)}**`;
}

/** What such a rule would allow. */
export function toolClause({ use, name, target }: ToolInUse, { pattern }: NewRule): Clause {
  if (pattern === escapeGlob(target)) return { kind: 'tool', name, of: target };
  const place = pattern.replaceAll(/\\(.)/g, '$1');
  if (use === 'edit')
    return place.endsWith('/**')
      ? { kind: 'files-below', name, of: place.slice(0, -3) }
      : { kind: 'files-in', name, of: place.slice(0, -2) };
  return { kind: use === 'fetch' ? 'site' : 'server', name, of: place.slice(0, -3) };
}

/** A relative name that is not an option. */
export const anyBelow = '[!-]**';

/** The rules that could be offered for one stage; null where a width is not offered. */
export interface StageRules {
  readonly exact: NewRule;
  readonly subcommand: NewRule | null;
  readonly otherFile: NewRule | null;
  /** A script of a file or of a `package.json` as it reads now, with any arguments. */
  readonly script: NewRule | null;
  /** Each script of the `package.json` as it reads now. */
  readonly scripts: NewRule | null;
  /** Whatever the record of the program knows to print and change nothing. */
  readonly reads: NewRule | null;
  /** What Git does on this machine in forms that lose no work. */
  readonly local: readonly NewRule[] | null;
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
  if (stage.files?.digest === null) return null;
  const base = baseRule(stage, options);
  if (base === null || stage.trust.level === 'never' || stage.globs.length > 0) return null;
  const exact: NewRule = {
    ...base,
    args: stage.argv.slice(1).map(escapeToken),
    ...folderBound(stage),
    ...heldToFiles(stage),
  };
  const narrow = { ...noWider, exact };
  if (runsCode(stage)) return rulesForCode(stage, base, options);
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
        leading === null
          ? null
          : { ...base, cwd, maxRisk: 'low', args: [...start, restToken], ...heldToFiles(stage) },
    };
  }
  if (stage.carries.length > 0) return narrow;
  return { exact, ...widerRules(stage, { ...base, maxRisk: 'low' }), ...ofProject(stage, base) };
}

/** What the files say that the words go by, where they do not say all of it themselves. */
function heldToFiles({ files }: Stage): { readonly files?: string } {
  return files === undefined || files.digest === null ? {} : { files: files.digest };
}

/** An interpreter: what is said of other programs with their arguments does not hold for it. */
function runsCode(stage: Stage): boolean {
  const { executable, script, code } = stage;
  if (executable.kind !== 'file' || !isHeldByText(stage)) return false;
  const names = [executable.path, executable.realPath, executable.name].map(baseName);
  return script !== null || code !== undefined || names.some(isRunner);
}

/** As many scripts as a person can be told by name. */
const mostScripts = 40;

/** A program of the project by what it holds, and scripts of a package by what they say. */
function ofProject(
  stage: Stage,
  base: NewRule,
): Partial<Pick<StageRules, 'script' | 'scripts' | 'local'>> {
  const { executable, recipe, cwd, trust } = stage;
  if (cwd === null) return {};
  const here = { ...base, cwd: escapeGlob(cwd), maxRisk: 'low' } as const;
  if (executable.kind === 'file' && executable.agentWritable)
    return trust.level === 'named' && base.sha256 !== undefined ? { script: here } : {};
  if (recipe !== undefined) {
    const words = stage.argv.slice(1);
    const named = words.indexOf(recipe.name) + 1 || 1;
    const start = words.slice(0, named).map(escapeToken);
    return {
      script: { ...here, args: [...start, restToken], scripts: [recipe.digest] },
      scripts:
        recipe.all.length > mostScripts
          ? null
          : {
              ...here,
              args: [['run', 'run-script', 'test', 't', 'start'], restToken],
              scripts: recipe.all.map(({ digest }) => digest),
            },
    };
  }
  const isPlain = base.env === undefined && base.writes === undefined;
  const local = isPlain ? localGitRules(nameOf(stage), base, cwd) : null;
  return local === null ? {} : { local };
}

type WiderRules = Omit<StageRules, 'exact'>;

/**
 * As wide as the record of the program lets it be. Where the same words can stand for reading and
 * for changing (`git branch`), no rule of these words alone is offered.
 */
function widerRules(stage: Stage, base: NewRule): WiderRules {
  const args = stage.argv.slice(1);
  const reading = readNamed(nameOf(stage), args);
  if (reading === null) return noWider;
  const { offer, words, mixed } = proposalShape(reading);
  const wide = !mixed && (offer === 'reads' || offer === 'changes');
  const isCommand = words.length > 0 && words.every((word, index) => args[index] === word);
  const paths = new Set(
    reading.effects.flatMap((effect) => (effect.kind === 'path' ? [effect.word] : [])),
  );
  const isFile = words.length === 0 && (offer === 'reads' || offer === 'files');
  const tokens = isFile ? withOtherFile(args, (index) => paths.has(index)) : null;
  const folder = stage.cwd !== null && offer === 'changes' ? inFolder(stage.cwd) : {};
  return {
    ...noWider,
    subcommand:
      wide && isCommand
        ? { ...base, ...folder, args: [...words.map(escapeToken), restToken] }
        : null,
    otherFile: tokens === null ? null : { ...base, args: tokens, ...below(stage, tokens) },
    reads: readsMore(stage)
      ? { ...base, only: 'reads', writes: stage.writes.map(escapeGlob) }
      : null,
    program: wide && words.length === 0 && offer === 'reads' ? base : null,
  };
}

/**
 * Whether all other reading of the program may be offered with this one: not where a project says
 * what that is, or services elsewhere, of which some show more than others.
 */
function readsMore(stage: Stage): boolean {
  const name = nameOf(stage);
  const args = stage.argv.slice(1);
  const record = recordOf(name);
  const isOwn = [record?.project, record?.elsewhere, record?.runs].every(
    (one) => one === undefined,
  );
  const hasCommands = (readNamed(name, args)?.command.length ?? 0) > 0;
  return (
    isOwn &&
    whyForMachine(name) === null &&
    hasCommands &&
    stage.trust.level === 'open' &&
    onlyPrints(name, args, [])
  );
}

function inFolder(cwd: string): { readonly cwd: string } {
  return { cwd: `${escapeGlob(cwd)}/**` };
}

/** "Any file below the folder" means this folder. */
function below({ cwd }: Stage, tokens: readonly ArgToken[]): { readonly cwd?: string } {
  return tokens.includes(anyBelow) && cwd !== null ? { cwd: escapeGlob(cwd) } : {};
}

/** Whether all that a stage does is to print what it reads. */
export function onlyLooks(stage: Stage): boolean {
  if (stage.executable.kind === 'tool' || stage.writes.length > 0) return false;
  const reading = readNamed(nameOf(stage), stage.argv.slice(1));
  return (
    stage.trust.level === 'open' && reading !== null && proposalShape(reading).offer === 'reads'
  );
}

/** Program, effect and writes: what all widths have in common. */
function baseRule(stage: Stage, { now, hashFile }: StageRuleOptions): NewRule | null {
  const { executable } = stage;
  const env = givenTo(stage);
  // What looks like a secret is not written into the policy.
  if (env.some((one) => redact(one) !== one)) return null;
  const common = {
    effect: 'allow',
    source: 'allow-always',
    createdAt: now,
    ...(heedsFolder(stage) && stage.cwd !== null ? inFolder(stage.cwd) : {}),
    ...(env.length === 0 ? {} : { env }),
    ...(stage.writes.length === 0 ? {} : { writes: changesOf(stage).map(escapeGlob) }),
  } as const;
  if (executable.kind === 'missing' || executable.kind === 'tool') return null;
  if (executable.kind === 'builtin') return { pattern: escapeGlob(executable.name), ...common };
  const names = [executable.path, executable.realPath, executable.name].map(baseName);
  if (names.some(isRunner) && !runsCode(stage)) return null;
  const rule = { pattern: escapeGlob(executable.realPath), ...common };
  if (!executable.agentWritable) return rule;
  const sha256 = hashFile(executable.realPath);
  return sha256 === null ? null : { ...rule, sha256 };
}

/** A rule that names what is written names all of it; what is not known keeps it from sticking. */
function changesOf({ writes, effects }: Stage): readonly string[] {
  const named = effects === null ? [] : [...effects.writes, ...effects.deletes, ...effects.into];
  return [...new Set([...writes, ...named.filter((path) => path !== null)])];
}

/** The same words mean other files in another folder, which matters when those are changed or run. */
function folderBound(stage: Stage): { readonly cwd?: string } {
  const { argv, cwd, reads } = stage;
  if (cwd === null) return {};
  const name = nameOf(stage);
  const reading = readNamed(name, argv.slice(1));
  const relative = argv.slice(1).filter((word) => !/^(?:-|\/|[a-z]+:\/\/)/.test(word));
  // What runs by the files of a folder does so below it too, unless its words are files themselves.
  const named =
    reading !== null &&
    !heedsFolder(stage) &&
    reading.effects.some((effect) => effect.kind === 'path' && !effect.path.startsWith('/'));
  const isFile = (word: string): boolean => word === '.' || looksLikeFile(word);
  const bound = reads.length > 0 || named || relative.some(isFile);
  if (bound) return { cwd: escapeGlob(cwd) };
  // A remote by its name is whatever the repository of the folder calls so.
  const isSent = reading?.effects.some(
    (one) => one.kind === 'reaches' && one.direction === 'sends' && !/[:/]/.test(one.address),
  );
  return isSent === true ? inFolder(cwd) : {};
}

/** Whether the program does what the files of its folder say. */
function heedsFolder(stage: Stage): boolean {
  const name = nameOf(stage);
  const project = recordOf(name)?.project;
  if (project?.anywhere !== true) return project !== undefined;
  const reading = readNamed(name, stage.argv.slice(1));
  return reading === null || proposalShape(reading).offer !== 'reads';
}

/** Words that are files become "a file in the same folder", or any file below when they are relative. */
function withOtherFile(
  args: readonly string[],
  isPath: (index: number) => boolean,
): readonly ArgToken[] | null {
  const end = args.indexOf('--');
  let replaced = 0;
  const tokens = args.map((word, index) => {
    const isOption = word.startsWith('-') && (end < 0 || index <= end);
    if (isOption || !isPath(index) || !looksLikeFile(word)) return escapeToken(word);
    replaced += 1;
    const folder = word.slice(0, word.lastIndexOf('/') + 1);
    return word.startsWith('/') ? `${escapeGlob(folder)}*` : anyBelow;
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
