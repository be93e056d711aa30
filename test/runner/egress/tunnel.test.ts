import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls, createServer as createTls } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { refuse } from '../../../shared/base/index.ts';
import { rig, serving, talk, tunnelled } from './harness.ts';
import type { Rig } from './harness.ts';

const to = 'up.example:443';
const allow = ['up.example', 'other.example'];

/** A server behind `up.example:443` that sends back what it gets; its connections, as they come. */
async function echo(one: Rig, at = '8.8.8.8:443'): Promise<Socket[]> {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on('data', (data) => socket.write(data));
    socket.on('end', () => socket.end('bye'));
  });
  one.servers.set(at, await serving(server));
  return sockets;
}

describe('a tunnel', () => {
  it('carries bytes both ways, those that were sent ahead first, and passes ends on', async () => {
    const one = await rig({ allow });
    await echo(one);
    const said = talk(one.port, `CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\nearly`);
    await said.until('early');
    said.socket.write('late');
    await said.until('late');
    said.socket.end();
    expect(await said.all).toMatch(/^HTTP\/1\.1 200 [^\r]*\r\n\r\nearlylatebye$/u);
    await expect.poll(() => one.ended).toMatchObject([{ code: null, sent: 9, received: 12 }]);
    expect(one.proxy.open()).toBe(0);
  });

  it('goes to the one address that was looked at, however often the name changes', async () => {
    const answers = [['8.8.8.8'], ['127.0.0.1'], ['169.254.169.254']];
    let asked = 0;
    const one = await rig({ allow }, { resolve: async () => answers[asked++] ?? [] });
    await echo(one);
    await (await tunnelled(one.port, to)).until('200');
    expect(one.dialled).toEqual(['8.8.8.8:443']);
    expect(asked).toBe(1);
    expect(await (await tunnelled(one.port, to)).all).toContain('leads to 127.0.0.1');
    expect(await (await tunnelled(one.port, to)).all).toContain('169.254.169.254');
    expect(one.dialled).toEqual(['8.8.8.8:443']);
  });

  it('tries further addresses of a name, all of which were looked at', async () => {
    const one = await rig({ allow }, { resolve: async () => ['8.8.4.4', '8.8.8.8'] });
    await echo(one);
    expect((await tunnelled(one.port, to)).said).toContain('200');
    expect(one.dialled).toEqual(['8.8.4.4:443', '8.8.8.8:443']);
  });

  it.each([[['8.8.8.8', '10.0.0.1']], [['8.8.8.8', 'nonsense']], [[]], [['9.9.9.9']]])(
    'is none where one of the addresses must not be dialled: %j',
    async (addresses) => {
      const one = await rig({ allow }, { resolve: async () => addresses });
      expect((await tunnelled(one.port, to)).said).toMatch(/^HTTP\/1\.1 (?:403|502) /u);
      expect(one.dialled).toEqual([]);
    },
  );

  it('is none before it is written down', async () => {
    const broken = { allowed: async () => Promise.reject(new Error('disk')) };
    const one = await rig({ allow });
    const two = await rig({ allow }, { record: { ...broken, refused: () => {}, ended: () => {} } });
    await echo(one);
    expect((await tunnelled(two.port, to)).said).not.toContain(' 200 ');
    expect(two.dialled).toEqual([]);
    await tunnelled(one.port, to);
    expect(one.allowed).toMatchObject([
      {
        what: 'CONNECT up.example:443',
        code: 'rule-allow',
        by: 'policy',
        who: { agent: 'claude' },
      },
    ]);
  });

  it('shows the certificate of the upstream where nothing is set in it', async () => {
    const one = await rig({ allow, transforms: [{ host: 'other.example', set: { a: 'b' } }] });
    const secureContext = await one.authority.contextFor('theirs.example');
    const server = createTls({ SNICallback: (_name, done) => done(null, secureContext) });
    server.on('secureConnection', (socket) => socket.end('hi'));
    one.servers.set('8.8.8.8:443', await serving(server));
    const { socket } = await tunnelled(one.port, to);
    socket.removeAllListeners('data');
    const names = await new Promise((resolve) => {
      const secure = connectTls({ socket, servername: 'up.example', rejectUnauthorized: false });
      secure.on('error', resolve);
      secure.once('secureConnect', () => resolve(secure.getPeerCertificate().subjectaltname));
    });
    expect(names).toBe('DNS:theirs.example');
  });

  it('ends with its upstream, and the upstream with it', async () => {
    const one = await rig({ allow });
    const sockets = await echo(one);
    const first = await tunnelled(one.port, to);
    await expect.poll(() => sockets.length).toBe(1);
    sockets[0]?.destroy();
    await first.all;
    first.socket.end();
    const second = await tunnelled(one.port, to);
    await expect.poll(() => sockets.length).toBe(2);
    const gone = new Promise((resolve) => sockets[1]?.once('close', resolve));
    second.socket.destroy();
    await gone;
    await expect.poll(() => one.proxy.open()).toBe(0);
    expect(one.ended).toHaveLength(2);
  });

  it('takes no more from one side than the other side takes', async () => {
    const one = await rig({ allow });
    let written = 0;
    const server = createServer((socket) => {
      const chunk = Buffer.alloc(1 << 20);
      const more = (): void => {
        while (written < 200 << 20 && socket.write(chunk)) written += chunk.length;
      };
      socket.on('drain', more);
      more();
    });
    one.servers.set('8.8.8.8:443', await serving(server));
    const said = await tunnelled(one.port, to);
    said.socket.pause();
    const settled = async (): Promise<number> => {
      let before = -1;
      while (before !== written) {
        before = written;
        for (let turn = 0; turn < 50; turn += 1) await new Promise((next) => setImmediate(next));
      }
      return before;
    };
    expect(await settled()).toBeLessThan(60 << 20);
  });
});

describe('when the settings change', () => {
  it.each([
    ['it is not allowed any more', { allow: ['other.example'] }],
    ['it is denied', { deny: ['up.example'] }],
    ['its address is denied', { deny: ['8.8.0.0/16'] }],
    ['its port is not allowed any more', { allow: ['up.example:80'] }],
    [
      'headers in it are to be set from now on',
      { transforms: [{ host: 'up.example', set: { a: 'b' } }] },
    ],
    ['they are not valid', { allow: ['***'] }],
  ])('a tunnel is closed where %s', async (_, changed) => {
    const one = await rig({ allow });
    const sockets = await echo(one);
    const said = await tunnelled(one.port, to);
    await expect.poll(() => sockets.length).toBe(1);
    const gone = new Promise((resolve) => sockets[0]?.once('close', resolve));
    one.set(changed);
    await said.all;
    await gone;
    expect(one.proxy.open()).toBe(0);
    expect(one.ended[0]?.code).toMatch(/^(?:egress-deny|config-invalid)$/u);
  });

  it('a tunnel that they allow goes on', async () => {
    const one = await rig({ allow });
    await echo(one);
    const said = await tunnelled(one.port, to);
    one.set({ allow: ['*.example'], deny: ['other.example'] });
    said.socket.write('still');
    await said.until('still');
    expect((await tunnelled(one.port, 'other.example:443')).said).toContain(' 403 ');
  });

  it('a tunnel that was being opened meanwhile is decided on by the new ones', async () => {
    let go: (found: readonly string[]) => void = () => {};
    const resolve = async () =>
      new Promise<readonly string[]>((found) => {
        go = found;
      });
    const one = await rig({ allow }, { resolve });
    await echo(one);
    const said = talk(one.port, `CONNECT ${to} HTTP/1.1\r\n\r\n`);
    await expect.poll(() => go.length).toBe(1);
    one.set({ allow: [] });
    go(['8.8.8.8']);
    expect(await said.all).toContain(' 403 ');
    expect(one.dialled).toEqual([]);
  });

  it('nothing opens while everything is locked, and all is closed', async () => {
    let locked = false;
    const admit = (): void => {
      if (locked) throw refuse('lockout-active', 'Locked.', 'Wait.');
    };
    const one = await rig({ allow }, { admit });
    await echo(one);
    const open = await tunnelled(one.port, to);
    locked = true;
    one.proxy.recheck();
    await open.all;
    expect(await (await tunnelled(one.port, to)).all).toMatch(
      /^HTTP\/1\.1 503 [^]*lockout-active/u,
    );
    expect(one.ended).toMatchObject([{ code: 'lockout-active' }]);
  });
});

describe('how much', () => {
  it('a thousand tunnels stand at once, and close', async () => {
    const one = await rig({ allow });
    await echo(one);
    const all = await Promise.all(
      Array.from({ length: 1_000 }, async () => tunnelled(one.port, to)),
    );
    expect(one.proxy.open()).toBe(1_000);
    const [first, last] = [all[0], all[999]];
    last?.socket.write('last');
    await last?.until('last');
    first?.socket.write('first');
    await first?.until('first');
    one.set({ allow: [] });
    await Promise.all(all.map(async ({ all: ended }) => ended));
    expect(one.proxy.open()).toBe(0);
    expect(one.ended).toHaveLength(1_000);
  });

  it('more than an agent may have are turned away', async () => {
    const one = await rig({ allow, connections: 2 });
    await echo(one);
    await tunnelled(one.port, to);
    const second = await tunnelled(one.port, to);
    expect(second.said).toContain(' 200 ');
    await talk(one.port, `CONNECT ${to} HTTP/1.1\r\n\r\n`).all;
    expect(one.proxy.open()).toBe(2);
    second.socket.destroy();
    await expect.poll(() => one.proxy.open()).toBe(1);
    expect((await tunnelled(one.port, to)).said).toContain(' 200 ');
  });

  it('more that say nothing are cut off at once', async () => {
    const one = await rig({ allow, connections: 2 });
    const [first, second] = [talk(one.port), talk(one.port)];
    expect(await talk(one.port).all).toBe('');
    expect(await talk(one.port).all).toBe('');
    first.socket.destroy();
    second.socket.destroy();
    await echo(one);
    await expect
      .poll(async () =>
        talk(one.port, `CONNECT ${to} HTTP/1.1\r\n\r\n`)
          .until(' 200 ')
          .catch(() => ''),
      )
      .toContain(' 200 ');
  });

  it('faster than an agent may is told how long to wait', async () => {
    const one = await rig({ allow, requestsPerMinute: 1, burst: 2 });
    await echo(one);
    await tunnelled(one.port, to);
    await tunnelled(one.port, to);
    const third = await (await tunnelled(one.port, to)).all;
    expect(third).toMatch(/^HTTP\/1\.1 429 [^]*rate-limit[^]*Wait \d+ s/u);
  });

  it('what is refused again and again is one row a minute', async () => {
    const one = await rig({});
    for (let index = 0; index < 5; index += 1) await (await tunnelled(one.port, to)).all;
    await (
      await tunnelled(one.port, 'other.example:443')
    ).all;
    expect(one.refused.map(({ what }) => what)).toEqual([
      'CONNECT up.example:443',
      'CONNECT other.example:443',
    ]);
  });

  it.each([
    ['nothing', ''],
    ['a part of its headers', 'CONNECT up.example:443 HTTP/1.1\r\nHost:'],
    ['a letter', 'C'],
  ])('a client that has sent %s for too long is cut off', async (_, bytes) => {
    const one = await rig({ allow }, { headersMs: 60 });
    const said = talk(one.port, bytes);
    await said.all;
    expect(one.dialled).toEqual([]);
  });
});

describe('a host that nobody knows', () => {
  const unknown = { allow: [], unknown: 'ask' as const };

  it('is asked about while the client waits, and reached after a yes', async () => {
    const asked: string[] = [];
    let yes: () => void = () => {};
    const one = await rig(unknown, {
      ask: async (who, target) => {
        asked.push(`${who.agent} ${target.host}:${String(target.port)}`);
        await new Promise<void>((resolve) => (yes = resolve));
        const answers = [{ said: 'yes', via: 'app', person: 'Ben', passkey: 'blue' }] as const;
        return { code: 'allow-once' as const, answers };
      },
    });
    await echo(one);
    const said = talk(one.port, `CONNECT ${to} HTTP/1.1\r\n\r\n`);
    await expect.poll(() => asked).toEqual(['claude up.example:443']);
    expect(one.resolved).toEqual([]);
    yes();
    await said.until(' 200 ');
    expect(one.allowed).toMatchObject([
      {
        code: 'allow-once',
        by: 'person',
        reason: 'Ben allowed it.',
        answers: [{ said: 'yes', person: 'Ben' }],
      },
    ]);
    one.set({ allow: ['other.example'] });
    said.socket.write('still');
    await said.until('still');
    one.set({ unknown: 'deny' });
    await said.all;
  });

  it.each([
    ['confirm-rejected', 403],
    ['approval-timeout', 403],
    ['approver-unavailable', 403],
  ] as const)('is not reached after %s', async (code, status) => {
    const ask = async () => Promise.reject(refuse(code, 'No.', 'Do without.'));
    const one = await rig(unknown, { ask });
    const said = await (await tunnelled(one.port, to)).all;
    expect(said).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} [^]*${code}`, 'u'));
    expect(one.dialled).toEqual([]);
    const by = code === 'confirm-rejected' ? 'person' : 'policy';
    expect(one.refused).toMatchObject([{ code, by }]);
  });

  it('is not asked about for somebody who has gone, or where nobody can be asked', async () => {
    const signals: AbortSignal[] = [];
    const one = await rig(unknown, {
      ask: async (_who, _target, gone) => {
        signals.push(gone);
        return new Promise((_, reject) => {
          gone.addEventListener('abort', () => reject(refuse('requester-gone', 'Gone.', '')));
        });
      },
    });
    const said = talk(one.port, `CONNECT ${to} HTTP/1.1\r\n\r\n`);
    await expect.poll(() => signals.length).toBe(1);
    said.socket.destroy();
    await expect.poll(() => signals[0]?.aborted).toBe(true);
    expect(one.dialled).toEqual([]);
    const two = await rig(unknown);
    expect((await tunnelled(two.port, to)).said).toContain(' 403 ');
  });

  it('that leads to a private address is not reached after a yes either', async () => {
    const one = await rig(unknown, { ask: async () => ({ code: 'allow-once' as const }) });
    expect(await (await tunnelled(one.port, 'private.example:443')).all).toContain('egress-deny');
    expect(one.dialled).toEqual([]);
  });
});
