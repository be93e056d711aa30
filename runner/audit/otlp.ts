import type { HrTime } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import type { ExportResult } from '@opentelemetry/core';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import type { Receiver } from './export.ts';
import { rowSentence, severityOf } from './receivers.ts';
import type { AuditRow, LoggedRow } from './rows.ts';

/** The record by OpenTelemetry's protocol. Only this file knows its packages, and it is loaded when it is set. */

interface OtlpOptions {
  /** Of the signal: `https://HOST/v1/logs`. */
  readonly url: string;
  readonly token: string | null;
  readonly version: string;
}

const patienceMs = 3_000;
const resourceOf = ({ version }: OtlpOptions) =>
  resourceFromAttributes({ 'service.name': 'interlock', 'service.version': version });

function wayOf({ url, token }: OtlpOptions) {
  const headers: Record<string, string> =
    token === null ? {} : { Authorization: `Bearer ${token}` };
  return { url, headers, timeoutMillis: patienceMs };
}

/** Settles as an exporter says; rejects with what went wrong. */
async function taken(send: (told: (result: ExportResult) => void) => void): Promise<void> {
  await new Promise<void>((resolve, reject) =>
    send(({ code, error }) =>
      code === ExportResultCode.SUCCESS
        ? resolve()
        : reject(new Error(error?.message ?? 'The receiver did not take them.', { cause: error })),
    ),
  );
}

/** Each row as a log record: a sentence, and its fields as attributes. */
export function otlpLogReceiver(options: OtlpOptions): Receiver {
  const exporter = new OTLPLogExporter(wayOf(options));
  const resource = resourceOf(options);
  const instrumentationScope = { name: 'interlock.audit', version: options.version };
  const recordOf = ({ seq, row }: LoggedRow): ReadableLogRecord => ({
    hrTime: timeOf(row.at),
    hrTimeObserved: timeOf(row.at),
    // WARN, or INFO: the numbers that OpenTelemetry has for them.
    ...(severityOf(row) <= 4
      ? { severityNumber: 13, severityText: 'WARN' }
      : { severityNumber: 9, severityText: 'INFO' }),
    eventName: `interlock.${row.type}`,
    body: rowSentence(row),
    attributes: { 'interlock.seq': seq, ...attributesOf(row) },
    droppedAttributesCount: 0,
    resource,
    instrumentationScope,
  });
  return {
    send: async (rows) => taken((told) => exporter.export(rows.map(recordOf), told)),
    dispose: async () => exporter.shutdown(),
  };
}

function timeOf(at: number): HrTime {
  return [Math.floor(at / 1_000), Math.round((at % 1_000) * 1_000_000)];
}

/** Plain values as they are, anything else as JSON. */
function attributesOf(row: AuditRow): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]: readonly [string, unknown]) => {
      if (name === 'at' || value === null || value === undefined) return [];
      const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
      const plain = isPlain ? (value as string | number | boolean) : JSON.stringify(value);
      return [[`interlock.${name}`, plain]];
    }),
  );
}

/** Collected when there is something new, and not by a clock of its own. */
class OnDemand extends MetricReader {
  protected override async onForceFlush(): Promise<void> {
    return Promise.resolve();
  }

  protected override async onShutdown(): Promise<void> {
    return Promise.resolve();
  }
}

/** What happened, as counts since it was opened. Nothing in them names an agent or a command. */
export function otlpMetricReceiver(options: OtlpOptions): Receiver {
  const exporter = new OTLPMetricExporter(wayOf(options));
  const reader = new OnDemand({
    aggregationTemporalitySelector: (type) => exporter.selectAggregationTemporality(type),
    aggregationSelector: (type) => exporter.selectAggregation(type),
  });
  const provider = new MeterProvider({ resource: resourceOf(options), readers: [reader] });
  const meter = provider.getMeter('interlock.audit', options.version);
  const decisions = meter.createCounter('interlock.decisions');
  const outcomes = meter.createCounter('interlock.outcomes');
  const notes = meter.createCounter('interlock.notes');
  const durations = meter.createHistogram('interlock.command.duration', { unit: 's' });
  const count = (row: AuditRow): void => {
    if (row.type === 'decision') {
      const { decision, code, kind, host, by, risk } = row;
      decisions.add(1, { decision, code, kind, host, by, risk });
    } else if (row.type === 'outcome') {
      outcomes.add(1, { outcome: row.outcome, code: row.code ?? 'none' });
      if (row.durationMs !== null) durations.record(row.durationMs / 1_000);
    } else if (row.type === 'note') notes.add(1, { code: row.code });
  };
  return {
    send: async (rows) => {
      for (const { row } of rows) count(row);
      const { resourceMetrics } = await reader.collect();
      await taken((told) => exporter.export(resourceMetrics, told));
    },
    dispose: async () => {
      await provider.shutdown();
      await exporter.shutdown();
    },
  };
}
