import { execFile } from 'node:child_process';
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createServer as createTls } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundleOf, proxyVariables, trustVariables } from '../../../runner/egress/trust.ts';
import { gitServer } from './git-server.ts';
import { rig, serving } from './harness.ts';
import type { Rig } from './harness.ts';

const run = promisify(execFile);

interface World extends Rig {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly seen: { readonly url: string; readonly authorization: string | undefined }[];
}

/** A proxy that sets a header for `up.example`, a server there, and what clients are told of both. */
async function world(
  answer: (req: IncomingMessage, res: ServerResponse, folder: string) => void,
): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-egress-clients-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  let roots: string[] = [];
  const basic = { authorization: { secret: 'token', basicUser: 'x-access-token' } };
  const one = await rig(
    { allow: ['up.example'], transforms: [{ host: 'up.example', set: basic }] },
    { roots: () => roots },
  );
  roots = [one.authority.certificate];
  const context: SecureContext = await one.authority.contextFor('up.example');
  const seen: { url: string; authorization: string | undefined }[] = [];
  const http = createHttp((req, res) => {
    seen.push({ url: req.url ?? '', authorization: req.headers.authorization });
    answer(req, res, folder);
  });
  const secure = createTls({ SNICallback: (_name, done) => done(null, context) });
  secure.on('secureConnection', (socket) => http.emit('connection', socket));
  one.servers.set('8.8.8.8:443', await serving(secure));
  one.servers.set('8.8.8.8:80', await serving(http));
  const bundle = join(folder, 'bundle.pem');
  writeFileSync(bundle, bundleOf(one.authority.certificate, []));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    ...proxyVariables(one.port),
    ...trustVariables(bundle),
  };
  return { ...one, folder, env, seen };
}

const real = `Basic ${Buffer.from('x-access-token:real-token').toString('base64')}`;

describe('through the proxy, with a sentinel in the place of a token', () => {
  it('git clones and pushes', async () => {
    const one = await world(gitServer);
    const { folder } = one;
    const helper = '!f() { echo username=x; echo password=x-interlock-brokered; }; f';
    const env = {
      ...one.env,
      GIT_TERMINAL_PROMPT: '0',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'credential.https://up.example.helper',
      GIT_CONFIG_VALUE_0: helper,
    };
    const git = async (cwd: string, ...args: readonly string[]): Promise<string> =>
      (
        await run('git', ['-c', 'user.name=A', '-c', 'user.email=a@a.example', ...args], {
          cwd,
          env,
        })
      ).stdout;
    mkdirSync(join(folder, 'repositories'));
    await git(folder, 'init', '-q', '-b', 'main', '--bare', 'repositories/r.git');
    await git(folder, '-C', 'repositories/r.git', 'config', 'http.receivepack', 'true');
    await git(folder, 'clone', '-q', 'https://up.example/r.git', 'work');
    const work = join(folder, 'work');
    writeFileSync(join(work, 'large'), Buffer.alloc(2 << 20, 'x\n7'));
    await git(work, 'add', '.');
    await git(work, 'commit', '-qm', 'one');
    await git(work, 'push', '-q', 'origin', 'HEAD:main');
    await git(folder, 'clone', '-q', '-b', 'main', 'https://up.example/r.git', 'again');
    const copied = readFileSync(join(folder, 'again', 'large'));
    expect(copied.equals(readFileSync(join(work, 'large')))).toBe(true);
    expect(new Set(one.seen.map(({ authorization }) => authorization))).toEqual(new Set([real]));
  });

  const say = (req: IncomingMessage, res: ServerResponse): void => {
    res.end(`hello ${req.headers['x-mine'] === 'kept' ? 'kept' : ''}`);
  };

  it('curl fetches, encrypted and plain, and is told where it may not go', async () => {
    const one = await world(say);
    const curl = async (...args: readonly string[]): Promise<string> =>
      (await run('curl', ['-sS', '-m', '20', '-H', 'X-Mine: kept', ...args], { env: one.env }))
        .stdout;
    expect(await curl('-H', 'Authorization: sentinel', 'https://up.example/a')).toBe('hello kept');
    expect(await curl('-H', 'Authorization: sentinel', 'http://up.example/b')).toBe('hello kept');
    expect(one.seen).toEqual([
      { url: '/a', authorization: real },
      { url: '/b', authorization: 'sentinel' },
    ]);
    expect(await curl('http://other.example/')).toContain('interlock: egress-deny');
    await expect(curl('https://other.example/')).rejects.toMatchObject({
      stderr: expect.stringContaining('403') as string,
    });
    const { CURL_CA_BUNDLE: _, SSL_CERT_FILE: __, ...untold } = one.env;
    await expect(
      run('curl', ['-sS', 'https://up.example/'], { env: untold }),
    ).rejects.toMatchObject({
      stderr: expect.stringMatching(/certificate/u) as string,
    });
  });

  it('Python fetches', async () => {
    const one = await world(say);
    const code = [
      'import urllib.request as u',
      'r = u.Request("https://up.example/p", headers={"Authorization": "sentinel", "X-Mine": "kept"})',
      'print(u.urlopen(r, timeout=20).read().decode())',
    ];
    const { stdout } = await run('python3', ['-c', code.join('\n')], { env: one.env });
    expect(stdout.trim()).toBe('hello kept');
    expect(one.seen).toEqual([{ url: '/p', authorization: real }]);
  });

  it('Node fetches', async () => {
    const one = await world(say);
    const code = `
      const { hostname, port } = new URL(process.env.HTTPS_PROXY);
      require('http').request({ host: hostname, port, method: 'CONNECT', path: 'up.example:443' })
        .on('connect', (_, socket) => {
          const headers = { host: 'up.example', authorization: 'sentinel', 'x-mine': 'kept' };
          const createConnection = () => require('tls').connect({ socket, servername: 'up.example' });
          require('http').get({ createConnection, path: '/n', headers }, (res) => {
            res.on('data', (data) => { console.log(String(data)); process.exit(); });
          });
        }).end();`;
    const { stdout } = await run(process.execPath, ['-e', code], { env: one.env });
    expect(stdout.trim()).toBe('hello kept');
    expect(one.seen).toEqual([{ url: '/n', authorization: real }]);
  });

  it('npm installs a package', async () => {
    const made = mkdtempSync(join(tmpdir(), 'interlock-egress-package-'));
    onTestFinished(() => rmSync(made, { recursive: true, force: true }));
    mkdirSync(join(made, 'package'));
    writeFileSync(
      join(made, 'package', 'package.json'),
      JSON.stringify({ name: 'left', version: '1.0.0', main: 'index.js' }),
    );
    writeFileSync(join(made, 'package', 'index.js'), 'module.exports = 7;\n');
    await run('tar', ['czf', join(made, 'left.tgz'), '-C', made, 'package']);
    const one = await world((req, res) => {
      if (req.url === '/left/-/left-1.0.0.tgz') {
        res.end(readFileSync(join(made, 'left.tgz')));
        return;
      }
      const dist = { tarball: 'https://up.example/left/-/left-1.0.0.tgz' };
      const versions = { '1.0.0': { name: 'left', version: '1.0.0', dist } };
      res.setHeader('content-type', 'application/json');
      res.end(JSON.stringify({ name: 'left', 'dist-tags': { latest: '1.0.0' }, versions }));
    });
    const project = join(one.folder, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{"name":"p","version":"1.0.0"}');
    const npm = join(process.execPath, '..', 'npm');
    const options = ['--no-audit', '--no-fund', '--no-update-notifier'];
    const registry = ['--registry', 'https://up.example/', '--fetch-retries', '0'];
    await run(npm, ['install', 'left', ...options, ...registry], {
      cwd: project,
      env: {
        ...one.env,
        PATH: `${join(process.execPath, '..')}${delimiter}${one.env['PATH'] ?? ''}`,
      },
    });
    expect(readFileSync(join(project, 'node_modules', 'left', 'index.js'), 'utf8')).toContain('7');
    expect(one.seen.map(({ authorization }) => authorization)).toEqual([real, real]);
  });
});
