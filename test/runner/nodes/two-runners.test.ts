import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { NodePolicyBody, NodePolicyEditBody, NodesBody } from '../../../shared/wire/index.ts';
import type { HomePaths } from '../../../shared/home/index.ts';
import {
  call,
  configure,
  interlock,
  isThere,
  linesIn,
  overNats,
  pair,
  rowsOf,
  until,
} from '../../support/two-machines.ts';
import { hasNatsServer } from '../../support/servers.ts';
import {
  auditRows,
  endOf,
  exec,
  makeHome,
  startRunnerProcess,
  stdoutOf,
} from '../service/support.ts';

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

it.skipIf(!hasNatsServer)(
  'accounts for each run on both sides, with its output and its event, though nats-server is killed and loses all that it kept',
  async () => {
    const desk = await makeHome({ security: 'full', ask: 'off' });
    const build = await makeHome({ security: 'full', ask: 'off' });
    const { pairs, server } = await overNats(desk, build);
    configure(desk, { exec: { host: 'node' } });
    configure(build, { exec: { host: 'gateway' } });
    const there = join(build.home, '..', 'there');
    mkdirSync(there);
    const [mark, go] = [join(there, 'mark'), join(there, 'go')];
    let gateway = await startRunnerProcess(desk);
    await pairs();
    let node = await startRunnerProcess(build);
    await until(isThere(desk), 'the node is there');
    const saidBy = (events: Parameters<typeof endOf>[0]) => [endOf(events), stdoutOf(events)];
    let begun = 0;
    /** Begins a run that waits for `end`. */
    const begin = async (session: string) => {
      rmSync(go, { force: true });
      const waits = `echo x >> ${mark}; while [ ! -e ${go} ]; do sleep 0.05; done; echo ${session}`;
      const run = exec(desk, { command: waits, cwd: there, session });
      const done = run.done.catch(() => []);
      begun += 1;
      await until(() => linesIn(mark) === begun, 'it has begun');
      return { done };
    };
    const lose = async (): Promise<void> => {
      await server.kill();
      server.forget();
    };
    const end = async (): Promise<void> => {
      const before = rowsOf(build).outcomes.length;
      writeFileSync(go, '');
      await until(() => rowsOf(build).outcomes.length > before, 'it has ended there');
    };
    const told = (session: string): string => interlock(desk, 'events', '--session', session);

    // It ends while nothing carries its end.
    const first = await begin('s1');
    await lose();
    await end();
    await server.start();
    expect(saidBy(await first.done)).toEqual(['exit 0', 's1\n']);
    expect(told('s1')).toMatch(/^Exec started .*\nExec finished .*code=0\)\ns1\n/u);

    // And the node is killed before anybody has heard of it.
    await until(isThere(desk), 'the node is there again');
    const second = await begin('s2');
    await lose();
    await end();
    await node.kill('SIGKILL');
    await server.start();
    node = await startRunnerProcess(build);
    expect(saidBy(await second.done)).toEqual(['exit 0', 's2\n']);

    // And the gateway.
    await until(isThere(desk), 'the node is there once more');
    const third = await begin('s3');
    await lose();
    await gateway.kill('SIGKILL');
    await third.done;
    await end();
    gateway = await startRunnerProcess(desk);
    await server.start();
    await until(() => JSON.stringify(auditRows(desk)).includes('node-run-ended'), 'it is told');
    expect(told('s3')).toMatch(/Exec finished .*code=0\)\ns3\n/u);

    const [here, away] = [rowsOf(desk), rowsOf(build)];
    expect(linesIn(mark)).toBe(3);
    expect(away.decisions.map(({ gatewayRequest }) => gatewayRequest)).toEqual(
      here.decisions.map(({ id }) => id),
    );
    expect(away.outcomes.map(({ outcome }) => outcome)).toEqual(Array(3).fill('executed'));
    expect(here.outcomes.map(({ outcome }) => outcome)).toEqual([
      'executed',
      'executed',
      'unknown',
    ]);
    for (const paths of [desk, build]) expect(interlock(paths, 'audit', 'verify')).toMatch(/rows/u);
    await node.kill('SIGTERM');
    await gateway.kill('SIGTERM');
  },
  120_000,
);

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
