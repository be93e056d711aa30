import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readMarker } from '../../../runner/gate/boundary.ts';
import { createHosts } from '../../../runner/hosts/host.ts';
import type { Host, HostTask, RunOutcome } from '../../../runner/hosts/host.ts';
import type { AskEnding } from '../../../runner/gate/ports.ts';
import type { Keeping } from '../../../runner/undo/undo.ts';
import { defaultConfig } from '../../../shared/engine/config.ts';
import { createEngine } from '../../../shared/engine/engine.ts';
import type { PolicyDocument } from '../../../shared/engine/policy/types.ts';
import { openMachine } from '../../../shared/home/machine.ts';
import { bench, ownUid } from './support.ts';
import type { BenchOptions } from './support.ts';

interface Around extends Pick<BenchOptions, 'policy' | 'answer'> {
  readonly problem?: string | null;
  readonly document?: () => PolicyDocument;
  readonly outcome?: Partial<RunOutcome>;
  /** What is said of the workspace when it is decided, and right before the start. */
  readonly keeping?: Partial<Record<'check' | 'before', Keeping>>;
  /** Ports that are served in the box of the session "one". */
  readonly served?: readonly number[];
}

/** A gate under `exec.host: auto`, and what each of its hosts was told to run. */
function auto({
  problem = null,
  outcome = {},
  keeping = {},
  document,
  served = [],
  ...options
}: Around = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-auto-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const ran: { readonly host: string; readonly task: HostTask }[] = [];
  const host = (name: string): Host => ({
    name,
    probe: async () => (problem === null ? { ok: true } : { ok: false, problem }),
    run: async (task, _, io) => {
      ran.push({ host: name, task });
      io.started(4242);
      return { ending: 'exited', exitCode: 0, signal: null, ...outcome };
    },
    groups: () => [],
    stopStrays: () => 0,
    boxOf: (_agent, session) =>
      session === 'one' && served.length > 0
        ? { ports: () => new Set(served), has: () => false }
        : null,
  });
  const config = {
    ...defaultConfig,
    principals: { trustClaims: true },
    exec: { ...defaultConfig.exec, host: 'auto' as const, workspaces: [folder] },
  };
  const made = bench({
    ...options,
    config,
    ports: {
      ...(document !== undefined && { policy: { document, used: () => undefined } }),
      undo: {
        check: async () => keeping.check ?? { kind: 'off' },
        before: async () => keeping.before ?? { kind: 'off' },
        after: () => undefined,
      },
      hosts: createHosts([host('gateway'), host('sandbox')]),
      engine: createEngine(
        { ...openMachine(process.env, ownUid), sandboxProblem: () => problem },
        () => config,
      ),
    },
  });
  return { ...made, folder, ranOn: ran };
}

const yes = (): AskEnding =>
  ({ kind: 'decided', ask: {}, decision: { decision: 'allow-once' } }) as unknown as AskEnding;
const plain = 'wc -c /dev/null';

describe('the gate under exec.host auto', () => {
  it('runs in the sandbox what needs no more, unasked, and the record says so', async () => {
    const { exec, ranOn, rows, asked, folder } = auto();
    const { result } = await exec({ command: plain, cwd: folder });
    expect(result.ok).toBe(true);
    expect(asked).toEqual([]);
    expect(ranOn).toMatchObject([{ host: 'sandbox', task: { unasked: true } }]);
    expect(rows).toContainEqual(
      expect.objectContaining({
        type: 'decision',
        host: 'sandbox',
        code: 'sandbox-unasked',
      }),
    );
  });

  it.each([
    ['wc -c f', true],
    ['/usr/bin/true', true],
    ['cat f | sort > /dev/null', true],
    ['touch f', undefined],
    ['echo a > f', undefined],
    ['sed -i s/a/b/ f', undefined],
    ['python3 f.py', undefined],
    ['echo $(cat f)', undefined],
  ])('tells the sandbox of %s whether it only looks', async (command, onlyLooks) => {
    const { exec, ranOn, folder } = auto();
    writeFileSync(join(folder, 'f'), '');
    await exec({ command, cwd: folder });
    expect(ranOn.map(({ host, task }) => [host, task.onlyLooks])).toEqual([['sandbox', onlyLooks]]);
  });

  it('asks about what needs this machine, and runs it there after a yes', async () => {
    const { exec, ranOn, asked, folder } = auto({ answer: yes });
    await exec({ command: 'rm -rf src', cwd: folder });
    expect(asked).toMatchObject([{ host: 'gateway' }]);
    expect(ranOn).toMatchObject([{ host: 'gateway' }]);
    expect(ranOn[0]?.task.unasked).toBeUndefined();
  });

  it('never runs on this machine what the sandbox cannot take', async () => {
    const { exec, ranOn, asked, folder } = auto({ problem: 'There are no namespaces.' });
    const { result } = await exec({ command: plain, cwd: folder });
    expect(result).toMatchObject({ ok: false, refusal: { code: 'approver-unavailable' } });
    expect(asked[0]?.why).toContain('There are no namespaces.');
    expect(ranOn).toEqual([]);
  });

  it('decides for this machine what the host of an agent runs itself', async () => {
    const { gate, asked, folder } = auto();
    const io = { emit: () => {}, gone: new AbortController().signal };
    const incoming = {
      kind: 'exec' as const,
      peer: { uid: ownUid, pid: 1, gid: 0 },
      request: { command: plain, cwd: folder },
    };
    const elsewhere = await gate.permit(incoming, io, 'elsewhere');
    expect(elsewhere.ok).toBe(false);
    expect(asked).toHaveLength(1);
    const ticket = await gate.permit(incoming, io, 'ticket');
    expect(ticket).toMatchObject({ ok: true, permission: { code: 'sandbox-unasked' } });
  });

  it('runs what a ticket stands for in the sandbox', async () => {
    const { gate, ranOn, folder } = auto();
    const io = { emit: () => {}, gone: new AbortController().signal };
    const peer = { uid: ownUid, pid: 1, gid: 0 };
    const request = { command: plain, cwd: folder };
    const permitted = await gate.permit({ kind: 'exec', peer, request }, io, 'ticket');
    if (!permitted.ok || permitted.ticket === null) throw new Error('no ticket');
    const slip = { ticket: permitted.ticket.ticket, cwd: folder, peer };
    expect(await gate.redeem(slip, io)).toMatchObject({
      ok: true,
    });
    expect(ranOn).toMatchObject([{ host: 'sandbox', task: { unasked: true } }]);
  });

  it('runs what a rule allows where its server is, and says where else it may', async () => {
    const document = (): PolicyDocument => ({
      version: 1,
      agents: {
        '*': {
          security: 'allowlist',
          ask: 'on-miss',
          allowlist: [{ id: 'r1', pattern: 'curl', args: ['...'] }],
        },
      },
    });
    const outcome = { exitCode: 22 };
    const { exec, ranOn, asked, folder } = auto({ document, outcome, served: [3000] });
    const request = { command: 'curl -f localhost:3000', cwd: folder };
    const inside = await exec({ ...request, session: 'one' });
    await exec({ ...request, session: 'two' });
    await exec({ ...request, session: 'one', host: 'gateway' });
    expect(asked).toEqual([]);
    expect(ranOn.map(({ host, task }) => [host, task.unasked])).toEqual([
      ['sandbox', true],
      ['gateway', undefined],
      ['gateway', undefined],
    ]);
    const said = inside.events.flatMap((event) => (event.type === 'stderr' ? [event.data] : []));
    expect(said[0]).toContain(
      'A rule allows it on this machine, too: interlock run --host gateway',
    );
  });

  it('takes a request for this machine to the rules, and then to a person', async () => {
    const { exec, ranOn, asked, folder } = auto({ answer: yes });
    await exec({ command: plain, cwd: folder, host: 'gateway', statedReason: 'needs the network' });
    expect(asked).toMatchObject([{ host: 'gateway', statedReason: 'needs the network' }]);
    expect(ranOn).toMatchObject([{ host: 'gateway' }]);
  });

  it('tells an agent in one line what failed at the edge, and a person what was tried', async () => {
    const { exec, asked, folder, clock } = auto({
      answer: yes,
      outcome: { exitCode: 6, unreached: true },
    });
    const first = await exec({ command: plain, cwd: folder });
    const said = first.events.flatMap((event) => (event.type === 'stderr' ? [event.data] : []));
    expect(said).toEqual([
      'interlock: this ran in the sandbox, which has no network. To run it on this machine, ask: interlock run --host gateway --reason "WHY" …\n',
    ]);
    clock.advance(3_000);
    await exec({ command: plain, cwd: folder, host: 'gateway', statedReason: 'fetches a list' });
    expect(asked).toMatchObject([{ statedReason: 'fetches a list' }]);
    expect(asked[0]?.why).toContain(
      'It ran in the sandbox 3 s ago and failed (exit status 6), and looked for a network',
    );
    // What ran on this machine is told as it is.
    const second = await exec({ command: 'sudo true', cwd: folder });
    expect(second.events.some((event) => event.type === 'stderr')).toBe(false);
  });

  it('tells an agent that what it left running is out of reach, and only where it is', async () => {
    const { exec, folder } = auto({ outcome: { behind: true } });
    const said = async (command: string): Promise<string> => {
      const { events } = await exec({ command, cwd: folder, host: 'sandbox' });
      return events.flatMap((event) => (event.type === 'stderr' ? [event.data] : [])).join('');
    };
    expect(await said('sleep 9 &')).toContain('goes on in a sandbox of its own');
    const without = auto();
    const { events } = await without.exec({ command: 'sleep 9 &', cwd: without.folder });
    expect(events.some((event) => event.type === 'stderr')).toBe(false);
  });

  it.each([
    ['# interlock: this machine, because it fetches\ncurl x', 'curl x', 'it fetches'],
    ['  # Interlock: this machine\nls', 'ls', ''],
    ['# interlock: this machine - updates\r\nls\nls', 'ls\nls', 'updates'],
  ])('reads %j as a wish for this machine', (text, command, reason) => {
    expect(readMarker(text)).toEqual({ command, reason });
  });

  it.each([
    'ls',
    '# interlock: this machine',
    '# interlock: this machine\n \n',
    'ls # interlock: this machine\nx',
    '# interlock: this machinery\nls',
  ])('takes %j as it is', (text) => {
    expect(readMarker(text)).toBeNull();
  });

  const full = { kind: 'no', why: 'the disk is full' } as const;

  it('asks about what could not be taken back, and runs it in the sandbox after a yes', async () => {
    const { exec, ranOn, asked, rows, folder } = auto({
      answer: yes,
      keeping: { check: full, before: full },
    });
    const { result } = await exec({ command: plain, cwd: folder });
    expect(result.ok).toBe(true);
    expect(asked).toMatchObject([
      { host: 'sandbox', why: expect.stringContaining('the disk is full'), durations: ['once'] },
    ]);
    expect(ranOn).toMatchObject([{ host: 'sandbox', task: { unasked: true } }]);
    expect(rows).toContainEqual(expect.objectContaining({ code: 'allow-once', host: 'sandbox' }));
  });

  it('does not run it while nobody answers, nor where rules change what else is asked', async () => {
    const covered: boolean[] = [];
    const { exec, ranOn, folder } = auto({
      keeping: { check: full },
      answer: (_, options) => {
        covered.push(options.covered());
        return { kind: 'unreachable' };
      },
    });
    const { result } = await exec({ command: plain, cwd: folder });
    expect(result).toMatchObject({ ok: false, refusal: { code: 'approver-unavailable' } });
    expect([covered, ranOn]).toEqual([[false], []]);
  });

  it('refuses what can no longer be taken back when it is about to start', async () => {
    const { exec, ranOn, asked, folder } = auto({
      keeping: { check: { kind: 'kept' }, before: full },
    });
    const { result } = await exec({ command: 'touch f', cwd: folder });
    expect(result).toMatchObject({
      refusal: { code: 'host-unavailable', message: expect.stringContaining('the disk is full') },
    });
    expect([asked, ranOn]).toEqual([[], []]);
  });

  it('keeps nothing of what a command finds that changes nothing', async () => {
    const { exec, ranOn, folder } = auto({
      keeping: { check: { kind: 'kept' }, before: full },
    });
    const { result } = await exec({ command: plain, cwd: folder });
    expect(result.ok).toBe(true);
    expect(ranOn).toMatchObject([{ host: 'sandbox', task: { onlyLooks: true } }]);
  });

  it('keeps asking for this machine where a new rule allows it in the sandbox alone', async () => {
    const agents = { '*': { security: 'allowlist', ask: 'on-miss' } } as const;
    let document: PolicyDocument = { version: 1, agents };
    const rule = { id: 'r1', pattern: 'rm', args: ['-rf', 'src'], host: 'sandbox' } as const;
    const covered: boolean[] = [];
    const { exec, folder } = auto({
      document: () => document,
      answer: (_, options) => {
        covered.push(options.covered());
        document = { version: 1, agents: { '*': { ...agents['*'], allowlist: [rule] } } };
        covered.push(options.covered());
        return { kind: 'expired' };
      },
    });
    const asked = async () => exec({ command: 'rm -rf src', cwd: folder });
    expect((await asked()).result).toMatchObject({ refusal: { code: 'approval-timeout' } });
    expect(covered).toEqual([false, false]);
    // From now on the rule decides.
    expect((await asked()).result).toMatchObject({ ok: true });
  });

  it('says in check where it would run', async () => {
    const { gate, folder } = auto();
    const incoming = (command: string) => ({
      kind: 'exec' as const,
      peer: { uid: ownUid, pid: 1, gid: 0 },
      request: { command, cwd: folder },
    });
    expect(await gate.check(incoming(plain))).toMatchObject({ verdict: 'allow', host: 'sandbox' });
    expect(await gate.check(incoming('sudo ls'))).toMatchObject({
      verdict: 'ask',
      host: 'gateway',
    });
    const kept = auto({ keeping: { check: full } });
    const asked = await kept.gate.check({
      ...incoming(plain),
      request: { command: plain, cwd: kept.folder },
    });
    expect(asked).toMatchObject({ verdict: 'ask', reason: 'not-kept', host: 'sandbox' });
  });
});
