import type { HealthOptions } from '../../agents/index.ts';
import type { Config } from '../../engine/index.ts';
import { readExportState } from '../../home/index.ts';
import { ok, warning } from './types.ts';
import type { HealthCheck } from './types.ts';

/** One line for each place to which the record goes besides; none where it goes nowhere. */
export function exportChecks(
  { paths, uid }: HealthOptions,
  config: Config | null,
): readonly HealthCheck[] {
  if (config === null) return [];
  const { journald, syslog, otlpLogs, otlpMetrics } = config.audit;
  const wanted = [
    ...(journald ? (['journald'] as const) : []),
    ...(syslog === null ? [] : (['syslog'] as const)),
    ...(otlpLogs === null ? [] : (['otlp-logs'] as const)),
    ...(otlpMetrics === null ? [] : (['otlp-metrics'] as const)),
  ];
  if (wanted.length === 0) return [];
  const state = readExportState(paths.auditExport, uid);
  return wanted.map((to) => {
    const id = `audit-export-${to}`;
    if (state === null)
      return warning(
        id,
        `How far the record has gone to ${to} cannot be read`,
        `See to ${paths.auditExport}.`,
      );
    const standing = state[to];
    if (standing === undefined)
      return warning(id, `The record has not gone to ${to} yet`, 'Is the runner running?');
    const { problem, since, skipped, seq } = standing;
    const left =
      skipped === 0 ? '' : ` ${String(skipped)} rows were left out, since too many waited.`;
    if (problem === null) {
      const title = `The record goes to ${to} as well`;
      const detail = `Up to row ${String(seq)}.${left}`;
      return skipped === 0 ? ok(id, title, detail) : warning(id, title, detail);
    }
    return warning(
      id,
      `The record does not go to ${to}`,
      `Since ${new Date(since).toISOString()}: ${problem} What comes after row ${String(seq)} waits in the record itself; commands run as always.${left}`,
    );
  });
}
