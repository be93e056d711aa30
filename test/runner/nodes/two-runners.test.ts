import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../../shared/home/index.ts';
import type { HomePaths } from '../../../shared/home/index.ts';
import type { DecisionRow, OutcomeRow } from '../../../runner/audit/rows.ts';
import { parseAddress } from '../../../runner/nodes/address.ts';
import { newDevice } from '../../../runner/nodes/device.ts';
import { dial } from '../../../runner/nodes/dial.ts';
import { pairWithGateway } from '../../../runner/nodes/handshake.ts';
import { writeNodeFile } from '../../../runner/nodes/node-file.ts';
import type { NodePolicyBody, NodePolicyEditBody, NodesBody } from '../../../shared/wire/index.ts';
import {
  auditRows,
  endOf,
  exec,
  makeHome,
  root,
  startApprover,
  startRunnerProcess,
  stdoutOf,
} from '../service/support.ts';

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`it did not come to that: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function call<T>(paths: HomePaths, path: string, body?: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        socketPath: paths.runnerSocket,
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'content-type': 'application/json' },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (more: string) => (text += more));
        response.on('end', () => resolve(JSON.parse(text) as T));
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function configure(paths: HomePaths, config: object): void {
  const before = JSON.parse(readFileSync(paths.config, 'utf8')) as object;
  writeFileSync(paths.config, JSON.stringify({ ...before, ...config }), { mode: 0o600 });
}

/** Pairs the node that a home is with a gateway that runs, as its two people would. */
async function pair(desk: HomePaths, build: HomePaths): Promise<void> {
  const { listening } = await call<NodesBody>(desk, '/v1/nodes');
  const address = parseAddress(listening ?? '');
  const { device, pem } = newDevice();
  const signal = new AbortController().signal;
  const dialled = await dial({ ...address, certificate: null, clock: systemClock, signal });
  const certificate = Buffer.from(dialled.channel.certificate).toString('hex');
  await pairWithGateway(dialled.talk, {
    device,
    channel: dialled.channel,
    nonce: () => 'n'.repeat(43),
    state: { version: '1', policyHash: null },
    displayName: 'Build box',
    confirm: async ({ code }) => {
      const waits = async () => (await call<NodesBody>(desk, '/v1/nodes')).waiting.length === 1;
      await until(waits, 'the pairing waits');
      await call(desk, '/v1/nodes/approve', { code });
      return true;
    },
    keep: ({ key, displayName, token }) =>
      writeNodeFile(build.nodeFile, {
        version: 1,
        id: device.id,
        displayName: 'Build box',
        key: pem,
        token,
        gateway: { ...address, key, displayName, certificate },
        pairedAt: 1,
      }),
  });
}

const isThere = (desk: HomePaths) => async (): Promise<boolean> =>
  (await call<NodesBody>(desk, '/v1/nodes')).nodes.some(({ online }) => online);

/** The command line, on a home. */
function interlock(paths: HomePaths, ...args: readonly string[]): string {
  return execFileSync(process.execPath, [join(root, 'dist/runner/cli/main.js'), ...args], {
    env: { ...process.env, INTERLOCK_HOME: paths.home },
    encoding: 'utf8',
  });
}

/** How many times a command has run that leaves a line. */
const linesIn = (path: string): number =>
  existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n').length : 0;

function rowsOf(paths: HomePaths): {
  readonly decisions: readonly DecisionRow[];
  readonly outcomes: readonly OutcomeRow[];
} {
  const rows = auditRows(paths);
  return {
    decisions: rows.flatMap((row) => (row.type === 'decision' ? row : [])),
    outcomes: rows.flatMap((row) => (row.type === 'outcome' ? row : [])),
  };
}

it('runs commands on a node at most once, as that machine says, through kills on either side', async () => {
  const desk = await makeHome({ security: 'full', ask: 'off' });
  const build = await makeHome({ security: 'full', ask: 'off' });
  configure(desk, { nodes: { listen: '127.0.0.1:0' }, exec: { host: 'node' } });
  configure(build, { exec: { host: 'gateway' } });
  const there = join(build.home, '..', 'there');
  mkdirSync(there);
  let gateway = await startRunnerProcess(desk);
  const { listening } = await call<NodesBody>(desk, '/v1/nodes');
  configure(desk, { nodes: { listen: listening }, exec: { host: 'node' } });
  await pair(desk, build);

  const early = await exec(desk, { command: 'true', cwd: there }).done;
  expect(endOf(early)).toBe('host-unavailable');

  let node = await startRunnerProcess(build);
  await until(isThere(desk), 'the node is there');
  const text = 'pwd; echo "$FROM" >&2; exit 3';
  const ran = await exec(desk, { command: text, cwd: there, env: { FROM: 'desk' }, session: 's1' })
    .done;
  expect(endOf(ran)).toBe('exit 3');
  expect(stdoutOf(ran)).toBe(`${there}\n`);
  const told = interlock(desk, 'events', '--session', 's1');
  expect(told.replaceAll(/id=[^,)]+/gu, 'id=…')).toBe(
    `Exec started (node=build-box, id=…)\nExec finished (node=build-box, id=…, code=3)\n${there}\ndesk\n\n`,
  );

  // Its caller goes away: it is stopped there.
  const mark = join(there, 'mark');
  const left = exec(desk, { command: `echo x >> ${mark}; exec sleep 60`, cwd: there });
  await until(() => linesIn(mark) === 1, 'it has begun');
  const hungUp = left.done.catch(() => undefined);
  left.hangUp();
  await hungUp;
  await until(() => rowsOf(build).outcomes.length === 2, 'it was stopped there');
  expect(rowsOf(build).outcomes.at(-1)).toMatchObject({ code: 'requester-gone' });

  // The node dies in the middle: nobody knows, and nothing runs again.
  const cut = exec(desk, { command: `echo x >> ${mark}; exec sleep 60`, cwd: there });
  await until(() => linesIn(mark) === 2, 'it has begun');
  await node.kill('SIGKILL');
  node = await startRunnerProcess(build);
  expect(endOf(await cut.done)).toBe('host-unavailable');
  await until(isThere(desk), 'the node is there again');

  // The gateway dies in the middle: the end finds the record of the next one, and the session.
  const go = join(there, 'go');
  const waits = `echo x >> ${mark}; while [ ! -e ${go} ]; do sleep 0.05; done; echo late`;
  const lost = exec(desk, { command: waits, cwd: there, session: 's2' });
  const gone = lost.done.catch(() => undefined);
  await until(() => linesIn(mark) === 3, 'it has begun');
  await gateway.kill('SIGKILL');
  await gone;
  gateway = await startRunnerProcess(desk);
  await until(isThere(desk), 'the node is there once more');
  writeFileSync(go, '');
  await until(() => JSON.stringify(auditRows(desk)).includes('node-run-ended'), 'the end is told');
  const next = await exec(desk, { command: 'true', cwd: there, session: 's2' }).done;
  expect(next.map((event) => (event.type === 'stderr' ? event.data : '')).join('')).toMatch(
    /commands of this session:\nExec finished \(node=build-box, id=\S+, code=0\)\n\| late\n$/u,
  );

  expect(linesIn(mark)).toBe(3);
  const [here, away] = [rowsOf(desk), rowsOf(build)];
  // The first was for a node that was not there.
  const passed = here.decisions.slice(1);
  expect(away.decisions.map(({ gatewayRequest }) => gatewayRequest)).toEqual(
    passed.map(({ id }) => id),
  );
  for (const { outcomes, decisions } of [here, away])
    expect(new Set(outcomes.map(({ id }) => id))).toEqual(
      new Set(decisions.filter(({ decision }) => decision === 'allow').map(({ id }) => id)),
    );
  expect(here.outcomes.map(({ outcome }) => outcome)).toEqual([
    'not-executed',
    'executed',
    'executed',
    'unknown',
    'unknown',
    'executed',
  ]);
  expect(readdirSync(desk.gatewayRuns)).toHaveLength(1);
  // A lockout reaches the node that is there, and the one that is not once it comes.
  await node.kill('SIGKILL');
  await call(desk, '/v1/lockout', { reason: 'test' });
  const stand = async () => (await call<NodesBody>(desk, '/v1/nodes')).nodes[0]?.lockout;
  expect(await stand()).toBe('waiting');
  node = await startRunnerProcess(build);
  await until(async () => (await stand()) === 'locked', 'the node is locked');
  const { mode } = await call<{ mode: string }>(build, '/v1/status');
  expect(mode).toBe('locked');

  for (const paths of [desk, build]) expect(interlock(paths, 'audit', 'verify')).toMatch(/rows/u);
  await node.kill('SIGTERM');
  await gateway.kill('SIGTERM');
}, 60_000);

it('has a node edit its own policy for its gateway where its own settings say so, and not otherwise', async () => {
  const desk = await makeHome({ security: 'full', ask: 'off' });
  const build = await makeHome({ security: 'allowlist', ask: 'off' });
  configure(desk, { nodes: { listen: '127.0.0.1:0' } });
  const gateway = await startRunnerProcess(desk);
  await pair(desk, build);
  const node = await startRunnerProcess(build);
  await until(isThere(desk), 'the node is there');
  const read = async () =>
    call<NodePolicyBody & { readonly refusal?: { readonly code: string } }>(
      desk,
      '/v1/nodes/policy',
      { node: 'Build box' },
    );
  const edit = async (baseHash: string) =>
    call<NodePolicyEditBody & { readonly refusal?: { readonly code: string } }>(
      desk,
      '/v1/nodes/policy/edit',
      { node: 'Build box', edit: { baseHash, patch }, accepted: false },
    );
  const patch = { agents: { '*': { modes: { security: 'deny' } } } };
  expect((await read()).refusal?.code).toBe('policy-deny');

  configure(build, { gateway: { policy: 'read' } });
  const shown = await read();
  expect(shown).toMatchObject({ mayEdit: false, document: { version: 1 } });
  expect(JSON.stringify(shown)).not.toContain('token');
  const before = readFileSync(build.policy, 'utf8');
  expect((await edit(shown.hash)).refusal?.code).toBe('policy-deny');
  expect(readFileSync(build.policy, 'utf8')).toBe(before);

  configure(build, { gateway: { policy: 'edit' } });
  expect((await edit('f'.repeat(64))).edited).toEqual({ kind: 'conflict' });
  expect(readFileSync(build.policy, 'utf8')).toBe(before);
  expect((await edit(shown.hash)).edited).toMatchObject({ kind: 'saved' });
  expect(await read()).toMatchObject({ document: { agents: { '*': { security: 'deny' } } } });
  const refused = await exec(build, { command: 'true', cwd: build.home }).done;
  expect(endOf(refused)).toBe('policy-deny');

  const codes = (paths: HomePaths) =>
    auditRows(paths).flatMap((row) => (row.type === 'note' ? row.code : []));
  expect(codes(desk)).toEqual(expect.arrayContaining(['node-policy-edit', 'node-policy-edited']));
  expect(codes(build)).toEqual(
    expect.arrayContaining([
      'gateway-policy-refused',
      'gateway-policy-edit',
      'gateway-policy-edited',
    ]),
  );
  for (const paths of [desk, build]) expect(interlock(paths, 'audit', 'verify')).toMatch(/rows/u);
  await node.kill('SIGTERM');
  await gateway.kill('SIGTERM');
}, 60_000);

it('has the gateway’s person asked for a node whose settings say so, once, and by no name but its own', async () => {
  const desk = await makeHome({ security: 'full', ask: 'off' });
  const build = await makeHome({ security: 'allowlist', ask: 'on-miss', askFallback: 'deny' });
  configure(desk, { nodes: { listen: '127.0.0.1:0' }, exec: { host: 'node' } });
  const there = join(build.home, '..', 'there');
  mkdirSync(there);
  const mark = join(there, 'mark');
  let gateway = await startRunnerProcess(desk);
  const { listening } = await call<NodesBody>(desk, '/v1/nodes');
  configure(desk, { nodes: { listen: listening }, exec: { host: 'node' } });
  await pair(desk, build);
  const node = await startRunnerProcess(build);
  await until(isThere(desk), 'the node is there');
  const person = await startApprover(desk);
  const run = (argv: readonly string[]) => exec(desk, { argv: [...argv], cwd: there });
  const line = ['/bin/sh', '-c', `echo x >> ${mark}`];

  // Nothing is relayed before the node says so, and there nobody is.
  expect(endOf(await run(line).done)).toBe('approver-unavailable');
  configure(build, { gateway: { asks: true } });

  const yes = run(line);
  const asked = await person.next('ask');
  expect(asked.ask).toMatchObject({
    host: 'node Build box',
    node: { name: 'Build box' },
    cwd: there,
    durations: ['once'],
    proposals: [],
  });
  expect(asked.ask.command).toContain(mark);
  person.decide(asked, { decision: 'allow-once' });
  expect(endOf(await yes.done)).toBe('exit 0');
  const no = run(line);
  person.decide(await person.next('ask'), { decision: 'deny', note: 'not today' });
  const refused = await no.done;
  expect(endOf(refused)).toBe('confirm-rejected');
  expect(JSON.stringify(refused.at(-1))).toContain('not today');
  expect(linesIn(mark)).toBe(1);

  // The gateway dies with the question open: nothing is run, and the node is asked anew by who asks anew.
  const lost = run(line);
  const gone = lost.done.catch(() => undefined);
  await person.next('ask');
  await gateway.kill('SIGKILL');
  await gone;
  gateway = await startRunnerProcess(desk);
  await until(isThere(desk), 'the node is there again');
  const again = run(line);
  const anew = await person.next('ask');
  expect(anew.ask.id).not.toBe(asked.ask.id);
  person.decide(anew, { decision: 'allow-once' });
  expect(endOf(await again.done)).toBe('exit 0');

  // A lockout ends it on both.
  const locked = run(line);
  await person.next('ask');
  await call(desk, '/v1/lockout', { reason: 'test' });
  expect(endOf(await locked.done)).toBe('lockout-active');
  expect(linesIn(mark)).toBe(2);

  await until(() => rowsOf(build).decisions.length === 6, 'the node has written down the last');
  const [here, away] = [rowsOf(desk), rowsOf(build)];
  expect(away.decisions.flatMap(({ answers }) => answers ?? [])).toMatchObject([
    {
      said: 'yes',
      via: 'gateway',
      by: expect.stringMatching(/ \([0-9a-f]{16}\), in the app$/u) as string,
    },
    { said: 'no', via: 'gateway' },
    { said: 'yes', via: 'gateway' },
  ]);
  expect(here.decisions).toHaveLength(6);
  const notes = auditRows(desk).flatMap((row) =>
    row.type === 'note' && row.code === 'node-ask-answered' ? row.text : [],
  );
  expect(notes).toHaveLength(3);
  expect(notes[0]).toContain(`request ${here.decisions[1]?.id ?? ''}`);
  for (const paths of [desk, build]) expect(interlock(paths, 'audit', 'verify')).toMatch(/rows/u);
  await node.kill('SIGTERM');
  await gateway.kill('SIGTERM');
}, 60_000);
