import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { otlpLogReceiver, otlpMetricReceiver } from '../../../runner/audit/otlp.ts';
import type { AuditRow, LoggedRow } from '../../../runner/audit/rows.ts';
import { parseConfig } from '../../../shared/engine/config-schema.ts';

interface Heard {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

const heard: Heard[] = [];
let status = 200;
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const body: unknown = JSON.parse(Buffer.concat(parts).toString());
    heard.push({ path: request.url ?? '', headers: request.headers, body });
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
});
let base: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterAll(() => server.close());
beforeEach(() => {
  heard.length = 0;
  status = 200;
});

const decision = (seq: number): LoggedRow => ({
  seq,
  row: {
    type: 'decision',
    id: `i${String(seq)}`,
    at: 1_700_000_000_123,
    kind: 'exec',
    agent: 'claude',
    host: 'gateway',
    command: 'curl x',
    decision: 'deny',
    code: 'policy-deny',
    by: 'policy',
    risk: 'low',
    ruleIds: ['a'],
    session: null,
  } as unknown as AuditRow,
});
const outcome: LoggedRow = {
  seq: 9,
  row: {
    type: 'outcome',
    id: 'i',
    at: 1,
    outcome: 'executed',
    exitCode: 0,
    signal: null,
    durationMs: 1_500,
    code: null,
  },
};
const options = (path: string, token: string | null = null) => ({
  url: `${base}${path}`,
  token,
  version: '1.2.3',
});

describe('the record by OTLP', () => {
  it('comes as log records with a sentence, a severity and its fields', async () => {
    const receiver = otlpLogReceiver(options('/v1/logs', 'a-token'));
    await receiver.send([decision(4), outcome]);
    await receiver.dispose();
    const [one] = heard;
    expect(one?.path).toBe('/v1/logs');
    expect(one?.headers.authorization).toBe('Bearer a-token');
    const text = JSON.stringify(one?.body);
    expect(text).toContain('"service.name"');
    expect(one?.body).toMatchObject({
      resourceLogs: [
        {
          scopeLogs: [
            {
              scope: { name: 'interlock.audit' },
              logRecords: [
                {
                  timeUnixNano: '1700000000123000000',
                  severityText: 'WARN',
                  eventName: 'interlock.decision',
                  body: { stringValue: 'deny (policy-deny) claude: curl x' },
                },
                { severityText: 'INFO' },
              ],
            },
          ],
        },
      ],
    });
    expect(text).toContain('{"key":"interlock.seq","value":{"intValue":4}}');
    expect(text).toContain('{"key":"interlock.ruleIds","value":{"stringValue":"[\\"a\\"]"}}');
  });

  it('comes as counts that name no agent and no command', async () => {
    const receiver = otlpMetricReceiver(options('/v1/metrics'));
    await receiver.send([decision(4), decision(5), outcome]);
    await receiver.send([decision(6)]);
    await receiver.dispose();
    const text = JSON.stringify(heard.at(-1)?.body);
    expect(text).toMatch(/"interlock\.decisions".*"asDouble":3/);
    expect(text).toMatch(/"interlock\.command\.duration".*"sum":1\.5/);
    expect(text).not.toContain('claude');
    expect(text).not.toContain('curl');
  });

  it('is not taken by who refuses it, or is not there', async () => {
    status = 403;
    for (const make of [otlpLogReceiver, otlpMetricReceiver]) {
      const receiver = make(options('/x'));
      await expect(receiver.send([outcome])).rejects.toThrow();
      await receiver.dispose();
    }
  });

  it.each([
    'https://collector.example.com/v1/logs',
    'http://127.0.0.1:4318/v1/logs',
    'http://localhost:4318/v1/logs',
  ])('can be sent to %s', (url) =>
    expect(parseConfig(JSON.stringify({ version: 1, audit: { otlpLogs: url } })).ok).toBe(true),
  );
  it.each([
    'http://collector.example.com/v1/logs',
    'http://127.0.0.1.example.com/',
    'https://u:p@h/x',
    'ftp://h/x',
    '',
  ])('cannot be sent to %s', (url) =>
    expect(parseConfig(JSON.stringify({ version: 1, audit: { otlpLogs: url } })).ok).toBe(false),
  );
});
