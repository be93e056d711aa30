import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { LoggedRow } from '../../../runner/audit/rows.ts';
import type { OutcomeRow } from '../../../runner/audit/rows.ts';
import type { HomePaths } from '../../../shared/home/paths.ts';
import { boundedSlice } from '../../support/bounded-slice.ts';

/** What the log of a home says about each request, counted. */
export interface Tally {
  readonly allowed: ReadonlySet<string>;
  readonly denied: ReadonlySet<string>;
  /** What was asked for, by id. */
  readonly commands: ReadonlyMap<string, string>;
  readonly started: ReadonlySet<string>;
  readonly executed: ReadonlySet<string>;
  /** Outcomes of commands that were started and did not end with 0. */
  readonly failed: readonly OutcomeRow[];
  readonly notExecuted: ReadonlySet<string>;
  readonly closed: ReadonlySet<string>;
  readonly notes: readonly string[];
}

/** Reads the log and fails on any id that is decided, started or closed twice. */
export function tallyOf(paths: Pick<HomePaths, 'auditDirectory'>): Tally {
  const sets = {
    allowed: new Set<string>(),
    denied: new Set<string>(),
    started: new Set<string>(),
    executed: new Set<string>(),
    notExecuted: new Set<string>(),
    closed: new Set<string>(),
  };
  const notes: string[] = [];
  const commands = new Map<string, string>();
  const failed: OutcomeRow[] = [];
  const twice: string[] = [];
  const add = (set: Set<string>, id: string): void => {
    if (set.has(id)) twice.push(id);
    set.add(id);
  };
  for (const { row } of rowsOf(paths.auditDirectory)) {
    if (row.type === 'note') notes.push(row.code);
    else if (row.type === 'starting') add(sets.started, row.id);
    else if (row.type === 'outcome') {
      add(sets.closed, row.id);
      if (row.outcome === 'executed') sets.executed.add(row.id);
      if (row.outcome === 'executed' && row.exitCode !== 0) failed.push(row);
      if (row.outcome === 'not-executed') sets.notExecuted.add(row.id);
    } else {
      commands.set(row.id, row.command);
      if (sets.allowed.has(row.id) || sets.denied.has(row.id)) twice.push(row.id);
      add(row.decision === 'allow' ? sets.allowed : sets.denied, row.id);
    }
  }
  expect(twice).toEqual([]);
  return { ...sets, commands, failed, notes };
}

function rowsOf(directory: string): readonly LoggedRow[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n').slice(0, -1))
    .map((line) => JSON.parse(line) as LoggedRow);
}

/** Names of the files that the "commands" of a test left behind: what really ran. */
export function ranBelow(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** How many kills: a slice of 12, all 40, or what INTERLOCK_KILLS says. */
export const killCount = Number(process.env['INTERLOCK_KILLS'] ?? boundedSlice(12, 40));

/** Seed of the moments of the kills; INTERLOCK_SEED repeats a run. */
export const killSeed = Number(process.env['INTERLOCK_SEED'] ?? Date.now() % 1_000_000);
