import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';

/** Git's own server over HTTP, as a program of the web server. */
export function gitServer(req: IncomingMessage, res: ServerResponse, folder: string): void {
  const { pathname, search } = new URL(req.url ?? '/', 'http://x');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      GIT_PROJECT_ROOT: join(folder, 'repositories'),
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: req.method ?? '',
      CONTENT_TYPE: req.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: req.headers['content-encoding'] ?? '',
      REMOTE_USER: 'somebody',
      REMOTE_ADDR: '127.0.0.1',
    },
  });
  req.pipe(child.stdin);
  child.stdin.on('error', () => {});
  const parts: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => parts.push(chunk));
  child.stdout.on('end', () => {
    const all = Buffer.concat(parts);
    const at = all.indexOf('\r\n\r\n');
    const lines = all.subarray(0, at).toString().split('\r\n');
    const headers = lines.map((line) => line.split(': ') as [string, string]);
    const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
    res.writeHead(Number(status.slice(0, 3)), Object.fromEntries(headers));
    res.end(all.subarray(at + 4));
  });
}
