import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { OpenAuditLogOptions } from '../../../runner/audit/audit-log.ts';
import { openAuditLog } from '../../../runner/audit/audit-log.ts';
import { readAuditSeal } from '../../../runner/audit/key.ts';
import type { LoggedRow } from '../../../runner/audit/rows.ts';
import type { AuditLog, DecisionRow, OutcomeRow } from '../../../runner/audit/rows.ts';
import type { LogReport } from '../../../runner/audit/verify.ts';
import { verifyLog } from '../../../runner/audit/verify.ts';
import { systemClock } from '../../../shared/home/clock.ts';
import type { HomePaths } from '../../../shared/home/paths.ts';
import { openSecretStore } from '../../../shared/home/secrets.ts';
import type { SecretStore } from '../../../shared/home/secrets.ts';
import type { FakeClock } from '../../support/fake-clock.ts';
import { fakeClock } from '../../support/fake-clock.ts';

export const uid = process.getuid?.() ?? -1;

/** A log in a folder of the test's own, with a key in memory. */
export interface LogBench {
  readonly directory: string;
  readonly clock: FakeClock;
  readonly secrets: SecretStore;
  /** Opens it as a runner does; several times in turn, as after restarts. */
  open(options?: Partial<OpenAuditLogOptions>): Promise<AuditLog>;
  verify(): Promise<LogReport>;
  /** Kinds of problems with file and line. */
  problems(): Promise<readonly string[]>;
  /** Names of the monthly files, oldest first. */
  files(): readonly string[];
  lines(): readonly string[];
  rows(): readonly LoggedRow[];
}

export function logBench(): LogBench {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-audit-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const directory = join(folder, 'audit');
  const clock = fakeClock();
  const secrets = memorySecrets();
  const files = (): readonly string[] =>
    readdirSync(directory)
      .filter((name) => name.endsWith('.jsonl'))
      .toSorted();
  const lines = (): readonly string[] =>
    files().flatMap((name) =>
      readFileSync(join(directory, name), 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
    );
  const verify = async (): Promise<LogReport> =>
    verifyLog({ directory, seal: await readAuditSeal(secrets) });
  return {
    directory,
    clock,
    secrets,
    files,
    lines,
    verify,
    open: async (options) => openAuditLog({ directory, uid, clock, secrets, ...options }),
    problems: async () =>
      (await verify()).problems.map(({ kind, file, line }) => `${kind} ${file}:${line}`),
    rows: () => lines().map((line) => JSON.parse(line) as LoggedRow),
  };
}

export function memorySecrets(): SecretStore {
  const kept = new Map<string, Uint8Array>();
  return {
    kind: 'file',
    get: async (name) => kept.get(name) ?? null,
    set: async (name, value) => void kept.set(name, value),
    remove: async (name) => kept.delete(name),
  };
}

/** The log of a home, with the key that its runner uses. */
export async function openHomeAudit(paths: HomePaths): Promise<AuditLog> {
  const clock = systemClock;
  const directory = paths.keysDirectory;
  const secrets = await openSecretStore({ home: paths.home, directory, uid, clock });
  return openAuditLog({ directory: paths.auditDirectory, uid, clock, secrets });
}

export async function verifyHome(paths: HomePaths): Promise<LogReport> {
  const { home, keysDirectory, auditDirectory } = paths;
  const clock = systemClock;
  const secrets = await openSecretStore({ home, directory: keysDirectory, uid, clock });
  return verifyLog({ directory: auditDirectory, seal: await readAuditSeal(secrets) });
}

export function decision(id: string, fields: Partial<DecisionRow> = {}): DecisionRow {
  return {
    type: 'decision',
    id,
    at: 1_700_000_000_000,
    kind: 'exec',
    agent: 'claude',
    session: null,
    host: 'gateway',
    cwd: '/srv/project',
    command: `echo ${id}`,
    canonical: `/bin/echo '${id}'`,
    decision: 'allow',
    code: 'rule-allow',
    by: 'policy',
    reason: 'A rule allows it.',
    ruleIds: ['r1'],
    risk: 'none',
    uid: 1000,
    pid: 4242,
    ...fields,
  };
}

export function outcome(id: string, fields: Partial<OutcomeRow> = {}): OutcomeRow {
  return {
    type: 'outcome',
    id,
    at: 1_700_000_000_000,
    outcome: 'executed',
    exitCode: 0,
    signal: null,
    durationMs: 5,
    code: null,
    ...fields,
  };
}
