import { guardedRedirects } from '../../shared/engine/places/context.ts';
import type { PlaceSurroundings } from '../../shared/engine/places/context.ts';
import type {
  Analysis,
  CommandRequest,
  Executable,
  Stage,
} from '../../shared/engine/plan/types.ts';
import { resolvePolicy } from '../../shared/engine/policy/resolve.ts';
import type { AgentPolicy, Rule } from '../../shared/engine/policy/types.ts';
import { decide } from '../../shared/engine/decide/decide.ts';
import type { DecideInput } from '../../shared/engine/decide/types.ts';
import type { Verdict } from '../../shared/engine/decide/types.ts';

export const home = '/home/me';
export const cwd = '/home/me/src/app';

/** A program of the system, found through PATH: `/usr/bin/<name>` unless said otherwise. */
export function program(
  name: string,
  changes: Partial<Extract<Executable, { kind: 'file' }>> = {},
): Executable {
  const path = name.includes('/') ? name : `/usr/bin/${name}`;
  return {
    kind: 'file',
    name,
    foundBy: name.includes('/') ? 'written' : 'path',
    path,
    realPath: path,
    trusted: true,
    agentWritable: false,
    interpreter: null,
    ...changes,
  };
}

/** Paths are what they say. */
const around: PlaceSurroundings = {
  files: {
    realPath: (path) => path,
    facts: () => null,
    head: () => null,
    isLink: () => false,
    readLink: () => null,
  },
  home,
  platform: 'linux',
};

/** A stage from words separated by blanks, as if a plain command had been analysed. */
export function stage(text: string, changes: Partial<Stage> = {}): Stage {
  const argv = text.split(' ');
  return {
    argv,
    globs: [],
    executable: program(argv[0] ?? ''),
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
    guarded: guardedRedirects({ writes: [], reads: [], cwd, ...changes }, around),
    ...changes,
  };
}

export function builtin(text: string, changes: Partial<Stage> = {}): Stage {
  return stage(text, {
    executable: { kind: 'builtin', name: text.split(' ')[0] ?? '' },
    ...changes,
  });
}

/** A plan of these stages; a text is a plain stage. */
export function plan(...stages: readonly (Stage | string)[]): Analysis {
  const all = stages.map((each) => (typeof each === 'string' ? stage(each) : each));
  const canonical = all.map(({ argv }) => argv.join(' ')).join(' && ');
  return {
    ok: true,
    plan: { stages: all, canonical, execution: { kind: 'shell', text: canonical } },
  };
}

export function opaque(...stages: readonly (Stage | string)[]): Analysis {
  return {
    ok: false,
    reason: 'command-substitution',
    detail: 'It contains a command substitution.',
    span: null,
    stages: stages.map((each) => (typeof each === 'string' ? stage(each) : each)),
    guarded: [],
  };
}

let made = 0;

export function rule(pattern: string, fields: Partial<Rule> = {}): Rule {
  return { id: `r${(made += 1)}`, pattern, ...fields };
}

export function allow(pattern: string, args?: Rule['args'], fields: Partial<Rule> = {}): Rule {
  return rule(pattern, { ...(args === undefined ? {} : { args }), ...fields });
}

export interface Situation extends Omit<AgentPolicy, 'allowlist'> {
  readonly rules?: readonly Rule[];
  readonly host?: string;
  readonly now?: number;
  readonly platform?: DecideInput['platform'];
  readonly hashes?: Readonly<Record<string, string>>;
  readonly request?: Partial<CommandRequest>;
}

/** Everything that a verdict needs; an allowlist that asks on a miss unless said otherwise. */
export function inputFor(analysis: Analysis, situation: Situation = {}): DecideInput {
  const { rules = [], host, now, platform, hashes = {}, request, ...modes } = situation;
  const agent = { security: 'allowlist' as const, ...modes, allowlist: rules };
  const stages = analysis.ok ? analysis.plan.stages : analysis.stages;
  const command = stages.map(({ argv }) => argv.join(' ')).join(' && ');
  return {
    policy: resolvePolicy({ version: 1, agents: { a: agent } }, { agent: 'a' }),
    analysis,
    request: { command, cwd, ...request },
    host: host ?? 'gateway',
    now: now ?? 1_000,
    platform: platform ?? 'linux',
    home,
    hashFile: (path) => (Object.hasOwn(hashes, path) ? (hashes[path] ?? null) : null),
  };
}

export function verdictOn(analysis: Analysis, situation: Situation = {}): Verdict {
  return decide(inputFor(analysis, situation));
}
