import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from './server.ts';
import type { McpParts } from './types.ts';

export interface McpStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Errors of the protocol, for the host's log. */
  readonly onError: (error: Error) => void;
}

/** Longest message of a host, in bytes; then the connection ends. */
const longestMessage = 16 * 1024 * 1024;

/** Serves one host until its end of the stream, or until `signal`; what waits is then withdrawn. */
export async function serveMcp(
  parts: McpParts,
  { stdin, stdout, onError }: McpStreams,
  options: { readonly version: string; readonly signal: AbortSignal },
): Promise<void> {
  const { version, signal } = options;
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: longestMessage });
  const handle = serveStdio(() => createMcpServer(parts, version), { transport, onerror: onError });
  await new Promise<void>((resolve) => {
    stdin.once('end', resolve).once('close', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await handle.close();
}
