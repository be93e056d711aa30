import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  call,
  configure,
  interlock,
  isThere,
  linesIn,
  rowsOf,
  until,
  ways,
} from '../../support/two-machines.ts';
import {
  auditRows,
  endOf,
  exec,
  makeHome,
  startApprover,
  startRunnerProcess,
} from '../service/support.ts';

/** Before the answer is on its way, while it is, and while the command runs. */
const killedAfterMs = [0, 160] as const;

describe.each(ways.filter((way) => way.isThere))('over $name', ({ name, prepare }) => {
  it('has the gateway’s person asked for a node whose settings say so, once, and by no name but its own', async () => {
    const desk = await makeHome({ security: 'full', ask: 'off' });
    const build = await makeHome({ security: 'allowlist', ask: 'on-miss', askFallback: 'deny' });
    const { nodes, env, pairs } = await prepare(desk, build);
    configure(desk, { nodes, exec: { host: 'node' } });
    const startGateway = async () => startRunnerProcess(desk, undefined, env);
    const there = join(build.home, '..', 'there');
    mkdirSync(there);
    const mark = join(there, 'mark');
    let gateway = await startGateway();
    await pairs();
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
    gateway = await startGateway();
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
  }, 150_000);

  it.skipIf(name === 'SSH')(
    'is answered at most once, whenever its gateway is killed around the answer, and accounts for what ran',
    async () => {
      const desk = await makeHome({ security: 'full', ask: 'off' });
      const build = await makeHome({ security: 'allowlist', ask: 'on-miss', askFallback: 'deny' });
      const { nodes, env, pairs } = await prepare(desk, build);
      configure(desk, { nodes, exec: { host: 'node' } });
      configure(build, { gateway: { asks: true } });
      const there = join(build.home, '..', 'there');
      mkdirSync(there);
      let gateway = await startRunnerProcess(desk, undefined, env);
      await pairs();
      const node = await startRunnerProcess(build);
      await until(isThere(desk), 'the node is there');
      const person = await startApprover(desk);
      const ended: string[] = [];
      for (const [round, afterMs] of killedAfterMs.entries()) {
        const argv = ['/bin/sh', '-c', `echo x >> ${join(there, String(round))}`];
        const asked = exec(desk, { argv, cwd: there }).done.then(endOf, () => 'gateway gone');
        person.decide(await person.next('ask'), { decision: 'allow-once' });
        await new Promise((resolve) => setTimeout(resolve, afterMs));
        await gateway.kill('SIGKILL');
        ended.push(await asked);
        gateway = await startRunnerProcess(desk, undefined, env);
        await until(isThere(desk), 'the node is there again');
      }
      const open = (): readonly string[] => {
        const { decisions, outcomes } = rowsOf(build);
        const known = new Set(outcomes.map(({ id }) => id));
        return decisions.flatMap(({ id, decision }) =>
          decision === 'allow' && !known.has(id) ? id : [],
        );
      };
      const rounds = killedAfterMs.length;
      await until(() => rowsOf(build).decisions.length === rounds, 'the node has decided them all');
      await until(() => open().length === 0, 'all that was begun has an end');
      const { decisions, outcomes } = rowsOf(build);
      const ran = killedAfterMs.map((_, round) => linesIn(join(there, String(round))));
      expect(ran.every((times) => times <= 1)).toBe(true);
      expect(ran.filter((times) => times === 1)).toHaveLength(outcomes.length);
      for (const { decision, answers = [] } of decisions) {
        expect(answers.length).toBeLessThanOrEqual(1);
        expect(decision === 'allow').toBe(answers[0]?.said === 'yes');
      }
      // Whoever was told that it ran was told the truth.
      for (const [round, end] of ended.entries()) if (end === 'exit 0') expect(ran[round]).toBe(1);
      for (const paths of [desk, build])
        expect(interlock(paths, 'audit', 'verify')).toMatch(/rows/u);
      process.stdout.write(`${name}: ${JSON.stringify({ ran, ended })}\n`);
      await node.kill('SIGTERM');
      await gateway.kill('SIGTERM');
    },
    150_000,
  );
});
