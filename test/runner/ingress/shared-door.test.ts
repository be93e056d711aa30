import { chmodSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApi } from '../../../runner/ingress/http/api.ts';
import { handIn } from '../../../runner/ingress/http/peers.ts';
import { openSharedDoor } from '../../../runner/ingress/http/shared-socket.ts';
import type { ApiPorts } from '../../../runner/ingress/http/ports.ts';
import type { StatusBody } from '../../../shared/wire/api.ts';
import { bench, ownUid } from '../gate/support.ts';
import { temporaryFolder } from '../hosts/support.ts';
import { call } from './support.ts';

const gid = process.getegid?.() ?? -1;
const guest = 4_000_001;

interface DoorOptions {
  /** Whom the kernel names; null for nobody. */
  readonly peer?: number | null;
  readonly allowed?: readonly number[];
  readonly users?: readonly { readonly uid: number; readonly agents: readonly string[] }[];
}

/** A gate whose parts are fakes, with a door for others on a real socket. */
async function door({ peer = guest, allowed = [guest], users = [] }: DoorOptions = {}) {
  const parts = bench({
    policy: { version: 1, agents: { '*': { security: 'full', ask: 'off' } } },
    config: { users },
  });
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const running = [{ id: 'r', agent: 'a', command: 'secret', pid: 1, startedAt: 0 }];
  const server = await createApi(
    {
      gate: parts.gate,
      status: () => ({ ok: true, mode: 'armed', running, pending: [{}] }) as unknown as StatusBody,
      events: parts.ports.events,
      stops: parts.ports.stops,
      arming: { rearm: () => false },
      requirePassphrase: async () => {},
      pending: { list: () => [], find: () => undefined },
      boxes: { terminals: {} },
      log,
    } as unknown as ApiPorts,
    { uid: ownUid, log },
  );
  const folder = join(temporaryFolder(), 'run');
  mkdirSync(folder, { mode: 0o700 });
  const path = join(folder, 'r.sock');
  const strangers: (number | null)[] = [];
  const close = await openSharedDoor({
    socket: { path, gid },
    uid: ownUid,
    mayCome: (uid) => allowed.includes(uid),
    letIn: handIn.bind(null, server),
    onStranger: (uid) => strangers.push(uid),
    credentials: () => (peer === null ? null : { uid: peer, pid: null }),
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await close();
  });
  return { ...parts, path, folder, strangers };
}

describe('the door for other users', () => {
  it('is the group’s to knock at, and nobody else’s', async () => {
    const { path, folder } = await door();
    expect(lstatSync(path).mode & 0o777).toBe(0o660);
    expect(lstatSync(folder).mode & 0o777).toBe(0o750);
    expect(lstatSync(path).gid).toBe(gid);
  });

  it.each([
    ['a user whom nobody named', 4_000_002],
    ['somebody of whom the system does not say who', null],
  ])('turns %s away with a refusal, whatever is asked', async (_who, peer) => {
    const { path, strangers, ran } = await door({ peer });
    for (const url of ['/v1/exec', '/v1/status']) {
      const { status, json } = await call(path, url, {
        method: 'POST',
        body: { argv: ['true'], cwd: '/', statedReason: 'x'.repeat(1_000) },
      });
      expect(status).toBe(403);
      expect(json).toMatchObject({ ok: false, refusal: { code: 'hmac-fail' } });
    }
    expect(strangers).toEqual([peer, peer]);
    expect(ran).toEqual([]);
  });

  it('lets nobody in where nobody is named', async () => {
    const { path } = await door({ allowed: [] });
    expect((await call(path, '/v1/status')).status).toBe(403);
  });

  it('lets a guest run only as an agent that is named with the user', async () => {
    const { path } = await door({ users: [{ uid: guest, agents: ['claude'] }] });
    const body = { argv: ['true'], cwd: '/' };
    const asked = async (agent: string): Promise<string> =>
      (await call(path, '/v1/exec', { body: { ...body, agent } })).body;
    expect(await asked('claude')).toContain('"finished"');
    expect(await asked('other')).toContain(`User ${guest} may not act as the agent`);
  });

  it.each([
    ['GET', '/v1/pending'],
    ['GET', '/v1/pending/x'],
    ['POST', '/v1/pending/x/answer'],
    ['GET', '/v1/history'],
    ['GET', '/v1/history/stats'],
    ['POST', '/v1/resume'],
    ['POST', '/v1/breaches'],
    ['POST', '/v1/boxes/terminal'],
    ['POST', '/v1/boxes/terminal/read'],
    ['POST', '/v1/boxes/terminal/type'],
    ['POST', '/v1/boxes/lock'],
    ['POST', '/v1/nodes/policy'],
    ['GET', '/v1/nothing'],
  ])('keeps %s %s from guests', async (method, url) => {
    const { path } = await door();
    const { status, json } = await call(path, url, { method });
    expect(status).toBe(403);
    expect(json).toMatchObject({ refusal: { code: 'hmac-fail' } });
  });

  it('tells guests how the runner stands, and nothing of what others do', async () => {
    const { path } = await door();
    const { body } = await call(path, '/v1/status');
    expect(JSON.parse(body)).toMatchObject({ mode: 'armed', running: [], pending: [] });
  });

  it('gives a guest the events of own sessions only, whatever they are called', async () => {
    const { path, ports } = await door({ users: [{ uid: guest, agents: ['*'] }] });
    const event = { type: 'started', node: 'gateway', id: 'theirs' } as const;
    ports.events.add('s1', event);
    ports.events.add('4000002/s1', event);
    await call(path, '/v1/exec', { body: { argv: ['true'], cwd: '/', session: 's1' } });
    for (const session of ['s1', '4000002/s1']) {
      const { body } = await call(path, `/v1/events?session=${encodeURIComponent(session)}`);
      expect(body).not.toContain('theirs');
      expect(body.includes('Exec finished')).toBe(session === 's1');
    }
  });

  it('refuses a folder that others could write to, one that is a link, and one that is not there', async () => {
    const base = temporaryFolder();
    const loose = join(base, 'loose');
    mkdirSync(loose);
    chmodSync(loose, 0o777);
    const link = join(base, 'link');
    mkdirSync(join(base, 'real'));
    symlinkSync(join(base, 'real'), link);
    for (const folder of [loose, link, join(base, 'absent')])
      await expect(
        openSharedDoor({
          socket: { path: join(folder, 's'), gid },
          uid: ownUid,
          mayCome: () => true,
          letIn: () => undefined,
          onStranger: () => undefined,
        }),
      ).rejects.toMatchObject({ refusal: { code: 'config-invalid' } });
  });
});
