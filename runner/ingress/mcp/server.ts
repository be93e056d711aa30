import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { Transform } from 'node:stream';
import type { Readable, Writable } from 'node:stream';
import { approveInput, approveTool } from './approve-tool.ts';
import { execInput, execOutput, execTool } from './exec-tool.ts';
import type { McpParts } from './tool.ts';

/** Interlock's server of the Model Context Protocol: the tools `exec` and `approve`. */
function createMcpServer(parts: McpParts, version: string): McpServer {
  const server = new McpServer(
    { name: 'interlock', version },
    {
      instructions:
        'Run commands with the tool "exec". Each one is checked against a policy; a person may be ' +
        'asked, which can take minutes. A refusal says why and what to do instead.',
    },
  );
  server.registerTool(
    'exec',
    {
      title: 'Run a command through Interlock',
      description:
        "Runs one command on the person's machine, if their policy or they allow it, and returns its output and exit code. A refusal is final for this command: follow its hint.",
      inputSchema: execInput,
      outputSchema: execOutput,
      annotations: { destructiveHint: true, openWorldHint: true },
    },
    async (input, context) => execTool(input, context, parts),
  );
  server.registerTool(
    'approve',
    {
      title: 'Ask Interlock for permission',
      description:
        'For hosts, not for models: the permission prompt tool of Claude Code (--permission-prompt-tool mcp__interlock__approve).',
      inputSchema: approveInput,
      annotations: { readOnlyHint: true },
    },
    async (input, context) => approveTool(input, context, parts),
  );
  return server;
}

interface McpStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Errors of the protocol, for the host's log. */
  readonly onError: (error: Error) => void;
}

/** Longest message of a host, in bytes; then the connection ends. */
const longestMessage = 16 * 1024 * 1024;

/** Bytes that are not UTF-8 end the stream with an error: a reader would put another character there. */
function utf8Only(): Transform {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const notText = new Error('The host sent bytes that are not UTF-8; the connection is closed.');
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      try {
        decoder.decode(chunk, { stream: true });
        done(null, chunk);
      } catch {
        done(notText);
      }
    },
  });
}

/** Serves one host until its end of the stream, or until `signal`; what waits is then withdrawn. */
export async function serveMcp(
  parts: McpParts,
  { stdin, stdout, onError }: McpStreams,
  options: { readonly version: string; readonly signal: AbortSignal },
): Promise<void> {
  const { version, signal } = options;
  const input = stdin.pipe(utf8Only()).on('error', onError);
  const transport = new StdioServerTransport(input, stdout, { maxBufferSize: longestMessage });
  const handle = serveStdio(() => createMcpServer(parts, version), { transport, onerror: onError });
  await new Promise<void>((resolve) => {
    input.once('end', resolve).once('close', resolve);
    stdin.once('close', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await handle.close();
}
