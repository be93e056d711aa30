import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openNamedSecrets } from '../../../shared/home/named-secrets.ts';
import type { NamedSecrets } from '../../../shared/home/named-secrets.ts';
import { openSecretStore } from '../../../shared/home/secrets.ts';
import { systemClock } from '../../../shared/home/clock.ts';
import type { HomePaths } from '../../../shared/home/paths.ts';

const uid = process.geteuid?.() ?? 0;

/** The named secrets of a home; their key is in a folder of the test's own. */
export async function secretsOf(paths: HomePaths): Promise<NamedSecrets> {
  return openNamedSecrets({
    directory: paths.keysDirectory,
    keyDirectory: join(dirname(paths.home), 'data', 'keys'),
    uid,
    now: Date.now,
    store: async () =>
      openSecretStore({
        home: paths.home,
        directory: paths.keysDirectory,
        uid,
        clock: systemClock,
        loadKeychain: async () => null,
      }),
  });
}

/** Puts the policy of a tool into a home. */
export function writeTool(paths: HomePaths, tool: string, text: string): void {
  mkdirSync(paths.toolsDirectory, { recursive: true, mode: 0o700 });
  writeFileSync(join(paths.toolsDirectory, `${tool}.yaml`), text, { mode: 0o600 });
}

/** Runs Git as somebody with no settings of their own. */
export function git(cwd: string, ...words: readonly string[]): string {
  return execFileSync('git', words, {
    cwd,
    encoding: 'utf8',
    timeout: 20_000,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: cwd,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@example.invalid',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@example.invalid',
    },
  });
}

/** A folder with one commit on `main`. */
export function workIn(folder: string): string {
  const work = join(folder, 'work');
  mkdirSync(work);
  git(work, 'init', '-q', '-b', 'main');
  writeFileSync(join(work, 'a.txt'), 'a\n');
  git(work, 'add', '.');
  git(work, 'commit', '-qm', 'one');
  return work;
}

export interface GitServer {
  readonly origin: string;
  /** The bare repository behind `/repo.git`. */
  readonly repository: string;
  /** What `Authorization` said, each time. */
  readonly seen: (string | null)[];
}

/** A bare repository behind HTTP that wants one token, as `x-access-token`. */
export async function startGitServer(folder: string, token: string): Promise<GitServer> {
  const root = join(folder, 'served');
  const repository = join(root, 'repo.git');
  mkdirSync(root);
  git(root, 'init', '-q', '--bare', '-b', 'main', 'repo.git');
  git(repository, 'config', 'http.receivepack', 'true');
  // What a server prints is shown to whoever pushes.
  const hook = join(repository, 'hooks', 'pre-receive');
  writeFileSync(hook, `#!/bin/sh\necho "seen: $HTTP_SEEN"\n`);
  chmodSync(hook, 0o755);
  const seen: (string | null)[] = [];
  const wanted = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
  const server = createServer((request, response) => {
    const given = request.headers.authorization ?? null;
    seen.push(given);
    if (given !== wanted) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    const { pathname, search } = new URL(request.url ?? '/', 'http://x');
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'] ?? '',
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        REQUEST_METHOD: request.method ?? '',
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        REMOTE_USER: 'x',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        HTTP_SEEN: token,
      },
    });
    request.pipe(backend.stdin);
    backend.stdin.on('error', () => undefined);
    const chunks: Buffer[] = [];
    backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    backend.once('close', () => {
      const all = Buffer.concat(chunks);
      const end = all.indexOf('\r\n\r\n');
      for (const line of all.subarray(0, end).toString().split('\r\n')) {
        const at = line.indexOf(':');
        if (line.startsWith('Status:')) response.statusCode = Number(line.slice(8, 11));
        else response.setHeader(line.slice(0, at), line.slice(at + 1).trim());
      }
      response.end(all.subarray(end + 4));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    async () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${String(port)}`, repository, seen };
}
