import { createServer as createHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer as createTls } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openAuthority } from '../../../runner/egress/authority.ts';
import { createEgress } from '../../../runner/egress/service.ts';
import { knowSecrets } from '../../../runner/audit/known-secrets.ts';
import { addressText, defaultConfig } from '../../../shared/engine/index.ts';
import type { EgressConfig, Rule } from '../../../shared/engine/index.ts';
import { openFolderTrees, ownUid, systemClock } from '../../../shared/home/index.ts';
import { findSecrets } from '../../support/secret-scan.ts';
import { box, command, whyNot } from '../hosts/sandbox/support.ts';
import type { HostTask } from '../../../runner/hosts/host.ts';
import { run, temporaryFolder } from '../hosts/support.ts';
import { git } from '../tools/support.ts';
import { gitServer } from './git-server.ts';
import { serving } from './harness.ts';

const noRules: readonly Rule[] = [];

const token = 'ghp_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const key = 'sk-0123456789-abcdefghijklmnopqrstuvwxyz';
const addresses: Readonly<Record<string, string>> = {
  'github.com': '140.82.121.4',
  'api.github.com': '140.82.121.6',
  'api.example.com': '8.8.8.8',
};

interface Seen {
  readonly host: string;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly key: string | string[] | undefined;
}

/** A sandbox with the runner's own way out, to servers for GitHub and for an API. */
async function world(egress: Partial<EgressConfig> = {}) {
  const folder = temporaryFolder();
  const seen: Seen[] = [];
  const notes: string[] = [];
  const uses: (readonly [string, string])[] = [];
  const gh = { token: token as string | null };
  const upstream = await openAuthority({
    path: join(folder, 'upstream.pem'),
    uid: ownUid(),
    now: () => Date.now(),
  });
  const contexts = new Map<string, SecureContext>();
  for (const name of Object.keys(addresses)) contexts.set(name, await upstream.contextFor(name));
  let status = 200;
  const http = createHttp((req: IncomingMessage, res) => {
    const { host = '', authorization } = req.headers;
    seen.push({ host, url: req.url ?? '', authorization, key: req.headers['x-api-key'] });
    if (host === 'github.com') gitServer(req, res, folder);
    else {
      res.statusCode = status;
      req.pipe(res);
    }
  });
  const secure = createTls({ SNICallback: (name, done) => done(null, contexts.get(name)) });
  secure.on('secureConnection', (socket) => http.emit('connection', socket));
  const port = await serving(secure);
  const settings = { ...defaultConfig.egress, unknown: 'deny' as const, ...egress };
  let config = { ...defaultConfig, egress: settings };
  const trees = openFolderTrees();
  const way = createEgress({
    rules: () => noRules,
    presence: () => null,
    approvers: () => 1,
    used: () => {},
    save: async () => {},
    clock: systemClock,
    uid: ownUid(),
    newId: () => 'id',
    approver: { ask: async () => Promise.reject(new Error('nobody is asked')) },
    grants: {} as never,
    config: () => config,
    admit: () => {},
    audit: {
      durable: async () => {},
      append: (row) => void notes.push('text' in row ? row.text : ''),
    },
    log: { info: () => {}, warn: () => {}, error: () => {} },
    secrets: async () => ({
      get: async (name) => (name === 'api' ? Buffer.from(key) : null),
      used: async ([name = ''], by) => void uses.push([name, by]),
    }),
    authority: join(folder, 'keys', 'authority.pem'),
    env: { PATH: '/nowhere' },
    workspaceOf: () => made.workspace,
    trees,
    masked: join(folder, 'masked'),
    github: { askGh: async () => gh.token },
    world: {
      resolve: async (name) => [addresses[name] ?? '8.8.4.4'],
      dial: (address, _port, read) => {
        expect(Object.values(addresses)).toContain(addressText(address));
        return connect({ ...read, host: '127.0.0.1', port, allowHalfOpen: true });
      },
      roots: () => [upstream.certificate],
    },
  });
  const made = box({ network: 'restricted' }, { network: async (task) => way.open(task) });
  onTestFinished(() => {
    way.dispose();
    trees.close();
    knowSecrets([], 'github');
  });
  const repositories = join(folder, 'repositories');
  mkdirSync(repositories);
  git(repositories, 'init', '-q', '--bare', '-b', 'main', 'a.git');
  git(join(repositories, 'a.git'), 'config', 'http.receivepack', 'true');
  const script = async (lines: readonly string[], more: Partial<HostTask> = {}) => {
    writeFileSync(join(made.workspace, 'run.sh'), lines.join('\n'));
    const task = { ...command('bash ./run.sh', made.workspace), ...more };
    const running = run(made.host, task, { timeoutMs: 60_000, killAfterMs: 500 });
    return { ...(await running.ended), ...running.output() };
  };
  return {
    ...made,
    ...way,
    seen,
    notes,
    uses,
    gh,
    script,
    repositories,
    masked: join(folder, 'masked'),
    answer: (now: number) => {
      status = now;
    },
    set: (changed: Partial<EgressConfig>) => {
      config = { ...config, egress: { ...config.egress, ...changed } };
      way.recheck();
    },
  };
}

const basic = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;

describe.skipIf(whyNot !== null)('a sandbox that is signed in at GitHub', () => {
  it('clones and pushes by Git, with the real token on the way and none inside', async () => {
    const one = await world();
    const { stdout, stderr, exitCode } = await one.script([
      'set -e; export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b',
      'cd /tmp; git clone -q https://github.com/a.git a 2>/dev/null; cd a; git checkout -q -b main',
      'head -c 300000 /dev/urandom > big; git add .; git commit -qm one; git push -q origin main 2>&1',
      'git rev-parse main; echo "$GH_TOKEN $GITHUB_TOKEN $GIT_TERMINAL_PROMPT"',
      'printf "protocol=https\\nhost=github.com\\n\\n" | git credential fill | grep password',
      'curl -sS -H "Authorization: token mine" -d body https://api.github.com/x?y=secret; echo',
      'env; set; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr "\\0" "\\n"',
      'find /etc /run /tmp "$HOME" "$PWD" -xdev -type f -size -900k -exec cat {} + 2>/dev/null | base64',
    ]);
    expect([stderr, exitCode]).toEqual(['', 0]);
    const [head, inside_, password, api] = stdout.split('\n');
    expect(git(join(one.repositories, 'a.git'), 'rev-parse', 'main').trim()).toBe(head);
    expect(inside_).toBe('x-interlock-brokered  0');
    expect(password).toBe('password=x-interlock-brokered');
    expect(api).toBe('body');
    const ofGit = one.seen.filter(({ host }) => host === 'github.com');
    expect(new Set(ofGit.map(({ authorization }) => authorization))).toEqual(new Set([basic]));
    expect(one.seen.at(-1)).toMatchObject({
      host: 'api.github.com',
      authorization: `Bearer ${token}`,
    });
    expect(one.notes.at(-1)).toMatch(
      /^\w+: POST https:\/\/api\.github\.com:443\/x \(200, \d+ ms; run-1-/u,
    );
    const where = { folders: [one.folder], texts: { stdout, notes: one.notes.join('\n') } };
    expect(findSecrets([token], where)).toEqual([]);
    expect(findSecrets([token], { texts: { sent: basic } })).toEqual(['sent']);
    expect(one.github()).toBe('gh');
  });

  it('shows no token of files or variables, and leaves the files as they are', async () => {
    const one = await world();
    const real = `A=1\nGITHUB_TOKEN=${token}\nB=2\n`;
    mkdirSync(join(one.workspace, 'deep/er'), { recursive: true });
    writeFileSync(join(one.workspace, '.env'), real);
    writeFileSync(join(one.workspace, 'deep/er/.env.local'), real);
    writeFileSync(join(one.workspace, 'deep/plain.env'), 'A=1\n');
    const env = { GITHUB_TOKEN: token, GH_ENTERPRISE_TOKEN: token, GH_TOKEN: token, OTHER: 'x' };
    const lines = [
      'cat .env deep/er/.env.local',
      'env',
      '(echo C=3 >> .env) 2>&1; echo A=2 > deep/plain.env',
    ];
    const { stdout } = await one.script(lines, { env });
    expect(stdout).not.toContain(token);
    expect(stdout.match(/^GITHUB_TOKEN=x-interlock-brokered$/gmu)).toHaveLength(2);
    expect(stdout.match(/^[AB]=\d$/gmu)).toHaveLength(4);
    expect(stdout).toMatch(/^OTHER=x$/mu);
    expect(stdout).not.toMatch(/^GH_ENTERPRISE_TOKEN/mu);
    expect(stdout).toMatch(/Read-only file system|Permission denied/u);
    expect(readFileSync(join(one.workspace, '.env'), 'utf8')).toBe(real);
    expect(readFileSync(join(one.workspace, 'deep/plain.env'), 'utf8')).toBe('A=2\n');
    // The copies go with the box, which may outlast the command's end by a moment.
    await expect.poll(() => readdirSync(one.masked)).toEqual([]);
  });

  it('is not, where the settings say so or there is no token', async () => {
    const off = await world({ github: 'off' });
    const said = 'curl -sSk -o /dev/null https://api.github.com/x; echo "[$GH_TOKEN]"';
    expect((await off.script([said])).stdout).toBe('[]\n');
    expect(off.seen).toMatchObject([{ authorization: undefined }]);
    const none = await world();
    none.gh.token = null;
    expect((await none.script([said], { env: { GH_TOKEN: 'mine' } })).stdout).toBe('[mine]\n');
    expect(none.seen).toMatchObject([{ authorization: undefined }]);
    expect(none.github()).toBeNull();
  });

  it('stays signed in when the settings change, and gets the next token in the same command', async () => {
    const one = await world();
    const running = one.script([
      'get() { curl -sS -o /dev/null -w "%{http_code} " https://api.github.com/$1; }',
      'get 1; touch one; until [ -e two ]; do sleep 0.02; done; get 2; get 3; get 4; echo',
    ]);
    await expect.poll(() => one.seen.length, { timeout: 20_000 }).toBe(1);
    one.set({
      transforms: [{ host: 'api.github.com', set: { authorization: 'mine', 'x-a': '1' } }],
    });
    one.gh.token = 'ghp_the_second_of_them';
    one.answer(401);
    writeFileSync(join(one.workspace, 'two'), '');
    expect((await running).stdout).toBe('200 401 401 401 \n');
    expect(one.seen.map(({ authorization }) => authorization)).toEqual([
      `Bearer ${token}`,
      `Bearer ${token}`,
      expect.stringMatching(/^Bearer ghp_/u),
      'Bearer ghp_the_second_of_them',
    ]);
  });
});

describe.skipIf(whyNot !== null)('a service whose key the proxy adds', () => {
  const services = [
    {
      name: 'model',
      base: 'https://api.example.com/v1',
      header: 'x-api-key',
      secret: 'api',
      baseVariable: 'MODEL_BASE_URL',
      keyVariable: 'MODEL_KEY',
      requestsPerMinute: 1,
      burst: 4,
    },
  ];
  it('is called at an address of the proxy, without encryption or a certificate inside', async () => {
    const one = await world({ services });
    const call =
      'curl -sS --path-as-is -w " %{http_code}\\n" -H "authorization: Bearer mine" -H "x-api-key: $MODEL_KEY"';
    const { stdout } = await one.script([
      'echo "$MODEL_BASE_URL $MODEL_KEY"',
      `${call} -d hello "$MODEL_BASE_URL/messages?a=b"`,
      `${call} -o /dev/null "$MODEL_BASE_URL/../admin"; ${call} -o /dev/null "$MODEL_BASE_URL/%2e%2E/x"`,
      `${call} -o /dev/null http://127.0.0.1:3128/~/other/x`,
      // Plain to the same host and port, on the same connection: the key goes on none of them.
      `${call} -o /dev/null --proxy http://127.0.0.1:3128 --noproxy "" http://api.example.com:443/plain`,
      `${call} -o /dev/null https://api.example.com/v1/tunnel`,
      `for i in 1 2 3 4; do ${call} -o /dev/null "$MODEL_BASE_URL/$i"; done`,
    ]);
    expect(stdout.split('\n')).toEqual([
      'http://127.0.0.1:3128/~/model x-interlock-brokered',
      'hello 200',
      ' 400',
      ' 400',
      ' 403',
      expect.stringMatching(/^ 50[02]|^ 400/u),
      ' 200',
      ' 200',
      ' 200',
      ' 200',
      ' 429',
      '',
    ]);
    expect(
      one.seen.map(({ url, authorization, key: given }) => [url, authorization, given]),
    ).toEqual(
      ['/v1/messages?a=b', '/v1/tunnel', '/v1/1', '/v1/2', '/v1/3'].map((url) => [
        url,
        undefined,
        key,
      ]),
    );
    expect(one.notes[0]).toContain('POST https://api.example.com:443/v1/messages (200,');
    expect(one.notes.join('\n')).not.toContain('a=b');
    // Once for all of them: so the list of secrets says what it was last used by.
    expect(one.uses).toEqual([['api', expect.stringMatching(/^the network of \w+$/u)]]);
    expect(findSecrets([key], { texts: { stdout, notes: one.notes.join('\n') } })).toEqual([]);
  });
});
