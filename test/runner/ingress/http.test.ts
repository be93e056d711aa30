import { connect } from 'node:net';
import { statSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { knowSecrets } from '../../../runner/audit/known-secrets.ts';
import { findSecrets } from '../../support/secret-scan.ts';
import { fullPolicy, ownUid } from '../gate/support.ts';
import { draft } from '../approvals/support.ts';
import { call, open, serve } from './support.ts';

const exec = { argv: ['ls'], cwd: '/tmp' };

test('a command’s events come as lines of JSON, the last one "finished"', async () => {
  const { path } = await serve({ policy: fullPolicy });
  const { status, body } = await call(path, '/v1/exec', { body: exec });
  expect(status).toBe(200);
  const events = body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string });
  expect(events.map(({ type }) => type)).toEqual(['started', 'stdout', 'finished']);
});

test('no answer, error or event tells the value of a secret that is kept', async () => {
  const value = 'kept-"value/8f3b1c';
  knowSecrets([Buffer.from(value)]);
  onTestFinished(() => knowSecrets([]));
  const { path } = await serve({ policy: fullPolicy });
  const named = { argv: ['ls', value], cwd: '/tmp' };
  const asked = [
    await call(path, '/v1/exec', { body: named }),
    await call(path, '/v1/check', { body: named }),
    await call(path, '/v1/check', { body: { ...named, [value]: 1 } }),
    await call(path, '/v1/permits', { body: { ...named, by: 'elsewhere', cwd: value } }),
    await call(path, `/v1/${encodeURIComponent(value)}`, { body: {} }),
  ];
  const texts = Object.fromEntries(asked.map(({ body }, at) => [at, body]));
  expect(findSecrets([value], { texts })).toEqual([]);
  for (const { body } of asked.slice(0, 3)) expect(body).toContain('[redacted]');
});

test('a refusal of the gate is the last event, not an HTTP error', async () => {
  const { path } = await serve({ policy: { version: 1 } });
  const { status, json } = await call(path, '/v1/exec', { body: exec });
  expect(status).toBe(200);
  expect(json).toMatchObject({ type: 'refused', refusal: { code: 'policy-deny' } });
});

test.each([
  ['an unknown field', { ...exec, shell: true }, /unknown field "shell"/],
  ['a relative folder', { ...exec, cwd: 'src' }, /cwd/],
  ['no folder', { argv: ['ls'] }, /lacks the field "cwd"/],
  ['a word with a NUL', { ...exec, argv: ['l\0s'] }, /argv\[0\]/],
  ['an agent that is not a name', { ...exec, agent: 'a b\n' }, /agent/],
  ['the wildcard as an agent', { ...exec, agent: '*' }, /agent/],
  ['an agent that is a part of every object', { ...exec, agent: '__proto__' }, /agent/],
  ['a variable that is not a name', { ...exec, env: { 'A=B': 'x' } }, /env/],
  ['a mode that does not exist', { ...exec, security: 'none' }, /security/],
  ['a timeout of nothing', { ...exec, timeoutMs: 0 }, /timeoutMs/],
  ['input that is not base64', { ...exec, stdin: '€' }, /stdin/],
  ['a list', [], /must be an object/],
  ['not JSON', '{"argv":', /not valid JSON/],
  ['nothing', '', /JSON/],
])('a body that is %s is refused in words', async (_name, body, sentence) => {
  const { path, ran } = await serve({ policy: fullPolicy });
  const { status, json } = await call(path, '/v1/exec', { body });
  expect(status).toBe(400);
  expect(json).toMatchObject({ ok: false, refusal: { code: 'invalid-request' } });
  expect((json as { refusal: { message: string } }).refusal.message).toMatch(sentence);
  expect(ran).toEqual([]);
});

test('a body that is too large, or of another type, is refused', async () => {
  const { path } = await serve({ policy: fullPolicy });
  const large = await call(path, '/v1/check', { body: { ...exec, argv: ['x'.repeat(1_100_000)] } });
  expect(large).toMatchObject({
    status: 400,
    json: { refusal: { message: 'The body is too large.' } },
  });
  const form = {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'argv=ls',
  };
  expect(await call(path, '/v1/exec', form)).toMatchObject({
    json: { refusal: { code: 'invalid-request' } },
  });
});

test.each([
  ['GET', '/v1/exec'],
  ['POST', '/v1/unknown'],
  ['GET', '/'],
  ['DELETE', '/v1/pending/x'],
])('%s %s does not exist, and says so as every error does', async (method, url) => {
  const { path } = await serve();
  expect(await call(path, url, { method })).toMatchObject({
    status: 404,
    json: { ok: false, refusal: { code: 'invalid-request' } },
  });
});

test.each([
  ['what is not HTTP', 'hello\r\n\r\n', '400 Bad Request', 'This is not HTTP/1.1.'],
  [
    'headers without end',
    `GET /v1/status HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
    '431 Request Header Fields Too Large',
    'The headers are too large.',
  ],
])('%s is refused with a code, too, and ends the connection', async (_what, text, status, said) => {
  const { path } = await serve();
  const socket = connect(path);
  socket.end(text);
  const answer = (await socket.setEncoding('utf8').toArray()).join('');
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head.startsWith(`HTTP/1.1 ${status}\r\n`)).toBe(true);
  expect(JSON.parse(body)).toMatchObject({
    ok: false,
    refusal: { code: 'invalid-request', message: said },
  });
});

test('a caller who hangs up stops the command', async () => {
  let stopped: () => void = () => {};
  const over = new Promise<void>((resolve) => (stopped = resolve));
  const { path, ports, rows } = await serve({
    policy: fullPolicy,
    run: async (io) => {
      io.started(1);
      await new Promise((resolve) => io.signal.addEventListener('abort', resolve));
      stopped();
      return { ending: 'stopped', exitCode: null, signal: 'SIGTERM' };
    },
  });
  const { sent, answer } = await open(path, '/v1/exec', { body: exec });
  answer.once('data', () => sent.destroy());
  answer.on('error', () => {});
  await over;
  await ports.inFlight.idle();
  expect(rows.at(-1)).toMatchObject({ type: 'outcome', outcome: 'executed', signal: 'SIGTERM' });
});

test('a check answers with a verdict, or with an error body', async () => {
  const { path } = await serve({ policy: fullPolicy });
  expect(
    await call(path, '/v1/check', { body: { command: 'ls | head', cwd: '/tmp' } }),
  ).toMatchObject({
    status: 200,
    json: { verdict: 'allow', security: 'full', analysis: { ok: true } },
  });
  expect(await call(path, '/v1/check', { body: { cwd: '/tmp' } })).toMatchObject({ status: 400 });
  expect(await call(path, '/v1/check', { body: { ...exec, stdin: '' } })).toMatchObject({
    status: 400,
  });
});

test.each([
  ['nobody knows whom', null],
  ['another user', { uid: ownUid + 1, pid: 1 }],
])('a connection of %s is ended unheard', async (_name, peer) => {
  const { path, ran, warnings } = await serve({ policy: fullPolicy, credentials: () => peer });
  await expect(call(path, '/v1/exec', { body: exec })).rejects.toThrow();
  await expect(call(path, '/v1/status')).rejects.toThrow();
  expect(ran).toEqual([]);
  expect(warnings).toHaveLength(2);
});

test('the socket is for its owner alone', async () => {
  const { path } = await serve();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('what waits can be listed, looked at and answered', async () => {
  const { path, pending, answers } = await serve();
  void pending.add({ ...draft('a1'), createdAt: 0, expiresAt: 9 }, 'd'.repeat(64));
  expect(await call(path, '/v1/pending')).toMatchObject({
    json: { pending: [{ ask: { id: 'a1' } }] },
  });
  expect(await call(path, '/v1/pending/a1')).toMatchObject({
    json: { ok: true, ask: { id: 'a1' } },
  });
  expect(await call(path, '/v1/pending/a2')).toMatchObject({ status: 400 });
  const answer = {
    decision: 'deny',
    askDigest: 'd'.repeat(64),
    ts: 1,
    nonce: 'n'.repeat(43),
    mac: 'a'.repeat(64),
  };
  expect(await call(path, '/v1/pending/a1/answer', { body: answer })).toMatchObject({
    json: { ok: true, accepted: true },
  });
  expect(answers).toEqual([['a1', answer, { uid: ownUid, pid: process.pid }]]);
  const unsigned = { ...answer, mac: undefined };
  expect(await call(path, '/v1/pending/a1/answer', { body: unsigned })).toMatchObject({
    status: 400,
  });
});

test('the events of a session are handed out once', async () => {
  const { path } = await serve({ policy: fullPolicy });
  await call(path, '/v1/exec', { body: { ...exec, session: 's1' } });
  const first = await call(path, '/v1/events?session=s1');
  expect(first.json).toMatchObject({ ok: true, session: 's1', dropped: 0 });
  expect((first.json as { events: string[] }).events).toHaveLength(2);
  expect((await call(path, '/v1/events?session=s1')).json).toMatchObject({ events: [] });
  expect(await call(path, '/v1/events')).toMatchObject({ status: 400 });
  expect(await call(path, '/v1/events?session=s1&session=s2')).toMatchObject({ status: 400 });
});

test('the statistics of the history are for 30 days, or for up to 90', async () => {
  const { path } = await serve();
  const stats = { ok: true, days: [], needlessAfter: 3, worthARule: [] };
  expect((await call(path, '/v1/history/stats')).json).toEqual({ ...stats, query: { days: 30 } });
  expect((await call(path, '/v1/history/stats?days=90&agent=claude')).json).toEqual({
    ...stats,
    query: { days: 90, agent: 'claude' },
  });
  for (const wrong of ['days=0', 'days=91', 'days=1.5', 'agent=', 'since=1'])
    expect(await call(path, `/v1/history/stats?${wrong}`)).toMatchObject({ status: 400 });
});

test('a page of the history is bounded', async () => {
  const { path } = await serve();
  expect((await call(path, '/v1/history')).json).toMatchObject({
    query: { offset: 0, limit: 100 },
  });
  expect((await call(path, '/v1/history?offset=20&limit=999&search=rm')).json).toMatchObject({
    query: { offset: 20, limit: 500, search: 'rm' },
  });
  expect(await call(path, '/v1/history?limit=-1')).toMatchObject({ status: 400 });
});

test('an error inside says nothing of the inside', async () => {
  const { path } = await serve({
    api: {
      status: () => {
        throw new Error('secret detail');
      },
    },
  });
  const { status, body } = await call(path, '/v1/status');
  expect(status).toBe(503);
  expect(body).not.toContain('secret detail');
});

test('a report of breaches is checked, handed on and counted', async () => {
  const { path } = await serve();
  const breach = { code: 'bad-mac', count: 1, firstAt: 1, lastAt: 1, pid: null };
  const report = { breaches: [breach], ts: 1, nonce: 'A'.repeat(43), mac: '0'.repeat(64) };
  expect(await call(path, '/v1/breaches', { body: report })).toMatchObject({
    status: 200,
    json: { ok: true, recorded: 1 },
  });
  for (const body of [
    { ...report, breaches: [] },
    { ...report, breaches: [{ ...breach, text: 'my own words' }] },
    { ...report, breaches: [{ ...breach, code: 'two\nlines' }] },
    { ...report, mac: '' },
  ])
    expect((await call(path, '/v1/breaches', { body })).status).toBe(400);
});
