import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pageHeaders, readPageFiles } from '../../app/host/page-files.ts';

/** Serves a built page on a free loopback port with the headers that every shell sends. */
export async function serveFolder(
  folder: string,
): Promise<{ readonly address: string; readonly close: () => Promise<void> }> {
  const files = await readPageFiles(folder);
  const server = createServer((request, response) => {
    const file = files.get(new URL(request.url ?? '/', 'http://localhost').pathname);
    if (file === undefined) response.writeHead(404, pageHeaders).end();
    else response.writeHead(200, { ...pageHeaders, 'content-type': file.type }).end(file.body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
