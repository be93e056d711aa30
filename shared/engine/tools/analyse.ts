import { joinPath, nameOf, parentOf } from '../plan/paths.ts';
import { realTarget } from '../plan/paths.ts';
import { placeContext, useOf } from '../places/context.ts';
import type { PlaceSurroundings } from '../places/context.ts';
import { placeOf } from '../places/place-of.ts';
import type { Analysis, GuardedUse, Stage } from '../plan/types.ts';
import type { ToolCall, ToolInUse } from './types.ts';

interface ToolSurroundings extends PlaceSurroundings {
  /** Absolute real path of the working folder. */
  readonly cwd: string;
}

/**
 * The use of a tool as a plan of one stage for each target, so that rules, risk findings, prompts
 * and the record take it like a command. A target that cannot be understood makes it opaque: no rule
 * allows it.
 */
export function analyseTool(call: ToolCall, around: ToolSurroundings): Analysis {
  const written = [call.target, ...(call.moreTargets ?? [])];
  const understood = written.map((target) => targets[call.kind](target, around));
  const stages = written.map((target, at) =>
    stageOf(call, understood[at] ?? target, {
      cwd: around.cwd,
      guarded: guardedTarget(call, [target, understood[at] ?? target], around),
    }),
  );
  if (understood.includes(null))
    return {
      ok: false,
      reason: 'unsupported-syntax',
      detail: `What ${call.tool} is to be used on cannot be understood.`,
      span: null,
      stages,
      guarded: stages.flatMap(({ guarded }) => guarded),
    };
  const canonical = [call.tool, ...understood].join(' ');
  return { ok: true, plan: { stages, canonical, execution: null } };
}

/** The same in every runtime that this code meets; pure code knows neither Node's types nor a page's. */
declare const URL: new (text: string) => {
  readonly href: string;
  readonly username: string;
  readonly password: string;
};

type Target = (written: string, around: ToolSurroundings) => string | null;

const targets: Readonly<Record<ToolCall['kind'], Target>> = {
  edit: fileOf,
  fetch: addressOf,
  mcp: (name) => (/^[^/\s]+\/[^/\s]+$/.test(name) ? name : null),
};

/** Where a change would really land, also in folders that the tool would make on its way. */
function fileOf(path: string, { files, cwd }: ToolSurroundings): string | null {
  const real = realTarget(files, cwd, path);
  if (real !== null || path.split('/').includes('..') || !path.includes('/')) return real;
  const missing: string[] = [];
  for (let folder = joinPath(cwd, path); folder !== '/'; folder = parentOf(folder)) {
    const there = files.realPath(folder);
    if (there !== null) return joinPath(there, missing.join('/'));
    if (files.isLink(folder) || path.endsWith('/')) return null;
    missing.unshift(nameOf(folder));
  }
  return null;
}

/**
 * The normal form of an address, so that `HTTP://Host:80/a/../b` is held against rules as what it
 * leads to. Without user names: `https://docs.example@evil.example/` must not look like the former.
 */
function addressOf(written: string): string | null {
  try {
    const url = new URL(written);
    return url.username === '' && url.password === '' ? url.href : null;
  } catch {
    return null;
  }
}

/** What the tool does in a guarded place, as its target is written and as it leads. */
function guardedTarget(
  { kind }: ToolCall,
  [written, real]: readonly [written: string, real: string],
  around: ToolSurroundings,
): readonly GuardedUse[] {
  const context = placeContext(around, around.cwd);
  if (kind === 'fetch') {
    const file = /^file:\/\/[^/]*(\/.*)$/i.exec(real)?.[1];
    return file === undefined ? [] : useOf('read', null, placeOf(decoded(file), context));
  }
  if (kind !== 'edit') return [];
  const uses = [real, written].flatMap((path) => useOf('write', null, placeOf(path, context)));
  return uses.slice(0, 1);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function stageOf(
  { kind, tool }: ToolCall,
  target: string,
  { cwd, guarded }: Pick<Stage, 'guarded'> & { readonly cwd: string },
): Stage {
  const executable: ToolInUse = { kind: 'tool', use: kind, name: tool, target };
  return {
    argv: [tool, target],
    globs: [],
    executable,
    script: null,
    via: [],
    wrappers: [],
    carries: [],
    cwd,
    assignments: [],
    writes: [],
    reads: [],
    trust: { level: 'open' },
    effects: null,
    span: null,
    guarded,
  };
}
