import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AuditRow } from '../../../runner/audit/rows.ts';
import { limitsFor } from '../../../shared/agents/health.ts';
import type { HookCommand } from '../../../shared/agents/hook-command.ts';
import type { AgentHost } from '../../../shared/agents/list.ts';
import type { HomePaths } from '../../../shared/home/paths.ts';
import type { AgentPolicy } from '../../../shared/engine/policy/types.ts';
import { defaultConfig } from '../../../shared/engine/config.ts';
import { hookProgram } from '../../runner/hook/support.ts';
import { auditRows, makeHome } from '../../runner/service/support.ts';
import { openTap } from './tap.ts';
import type { Tap } from './tap.ts';

/** How long a person has to answer where nothing is said, in seconds. */
export const defaultAskSeconds = defaultConfig.approvals.askTimeoutMs / 1000;

/** A home, a folder to work in, and a command that leaves a trace. */
export interface Stage {
  readonly paths: HomePaths;
  /** Empty, and everything that the test makes is below it. */
  readonly folder: string;
  /** Where the agent works. */
  readonly work: string;
  /** What the agent is told to run: makes a new file each time. */
  readonly command: string;
  /** How often it ran. */
  readonly timesRun: () => number;
  /** What the record says of it, a word a row: `allow rule-allow`, `outcome executed 0`, … */
  readonly recorded: () => readonly string[];
  readonly tap: Tap;
  /** The hook as the installer would set it up, with the tap in between. */
  readonly hookFor: (host: AgentHost) => HookCommand;
}

/** Settings of a home beside what `interlock init` writes. */
export interface StageOptions {
  readonly policy?: AgentPolicy;
  readonly askTimeoutMs?: number;
  /** Where commands run; on this machine where absent. */
  readonly host?: 'auto';
}

export async function setStage({
  policy,
  askTimeoutMs,
  ...where
}: StageOptions = {}): Promise<Stage> {
  const paths = await makeHome(policy);
  const folder = dirname(paths.home);
  if (askTimeoutMs !== undefined) configure(paths, { approvals: { askTimeoutMs } });
  if (where.host !== undefined) configure(paths, { exec: where });
  const work = join(folder, 'work');
  const traces = join(folder, 'traces');
  for (const made of [work, traces]) mkdirSync(made);
  const tap = await openTap(folder);
  return {
    paths,
    folder,
    work,
    command: `mktemp -p ${traces} trace.XXXXXX`,
    timesRun: () => readdirSync(traces).length,
    recorded: () => (existsSync(paths.auditDirectory) ? auditRows(paths).flatMap(wordsOf) : []),
    tap,
    hookFor: (host) => ({
      node: tap.node,
      program: hookProgram,
      host,
      agent: host,
      home: paths.home,
      wait: limitsFor(defaultAskSeconds).wait,
    }),
  };
}

function configure({ config }: HomePaths, more: object): void {
  const before = JSON.parse(readFileSync(config, 'utf8')) as object;
  writeFileSync(config, JSON.stringify({ ...before, ...more }));
}

function wordsOf(row: AuditRow): readonly string[] {
  if (row.type === 'decision') return [`${row.decision} ${row.code} by ${row.by}`];
  if (row.type === 'outcome') return [`${row.outcome} ${row.code ?? String(row.exitCode)}`];
  return row.type === 'starting' ? ['starting'] : [];
}
