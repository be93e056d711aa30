import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { Transform } from 'node:stream';
import type { Readable, Writable } from 'node:stream';
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { execInput, execOutput, execTool } from './exec-tool.ts';
import type { McpParts } from './tool.ts';
import { recordOf, serverTool } from '../../../shared/agents/index.ts';
import type { HookEvent } from '../../../shared/wire/index.ts';
import { refuse, s } from '../../../shared/base/index.ts';
import type { Static } from '../../../shared/base/index.ts';
import {
  answerOf,
  refusalText,
  checkedYes,
  ticketOf,
  callFields,
  redeemCommand,
} from '../asking.ts';
import { toolSchema, progressOf } from './tool.ts';

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

/** What Claude Code 2.1.329 sends to its permission prompt tool. */
const approveSchema = s.open({
  tool_name: s.string({ minLength: 1, maxLength: 256 }),
  input: s.record(s.unknown()),
  tool_use_id: s.optional(s.string({ minLength: 1, maxLength: 256 })),
});
type ApproveInput = Static<typeof approveSchema>;
export const approveInput = toolSchema(approveSchema);

/** What Claude Code reads from the one text that the tool answers with. */
type Behaviour =
  | { readonly behavior: 'allow'; readonly updatedInput: Readonly<Record<string, unknown>> }
  | { readonly behavior: 'deny'; readonly message: string };

/** The tool `approve`: the gate in the place of Claude Code's own prompt. Never throws. */
export async function approveTool(
  asked: ApproveInput,
  context: ServerContext,
  parts: McpParts,
): Promise<CallToolResult> {
  const progress = progressOf(context, parts.clock);
  progress.say('Asking the gate.');
  const answer = await answerOf(async () => decide(asked, parts, context.mcpReq.signal));
  progress.dispose();
  const behaviour: Behaviour =
    answer.kind === 'allowed'
      ? { behavior: 'allow', updatedInput: answer.value }
      : { behavior: 'deny', message: refusalText(answer.refusal) };
  return { content: [{ type: 'text', text: JSON.stringify(behaviour) }] };
}

/** The input that Claude Code may go on with. A command becomes the one that its ticket stands for. */
async function decide(
  asked: ApproveInput,
  parts: McpParts,
  signal: AbortSignal,
): Promise<ApproveInput['input']> {
  const { client, speaker, program } = parts;
  const event = eventOf(asked, parts);
  if (event.kind === 'command') {
    const request = { command: event.command, ...callFields(event.context, speaker) };
    const ticket = ticketOf(await client.permit(request, signal));
    return {
      ...asked.input,
      command: redeemCommand(program, ticket, recordOf('claude').adapter.shell),
    };
  }
  checkedYes(await client.tool({ ...event.call, ...callFields(event.context, speaker) }, signal));
  return asked.input;
}

/** Read by the reader of Claude Code's hooks, which knows its tools and their inputs. */
function eventOf(
  asked: ApproveInput,
  { cwd, speaker }: McpParts,
): Extract<HookEvent, { kind: 'command' | 'tool' }> {
  const event = recordOf('claude').adapter.read({
    hook_event_name: 'PreToolUse',
    session_id: speaker.session,
    cwd,
    tool_name: asked.tool_name,
    tool_input: asked.input,
    ...(asked.tool_use_id !== undefined && { tool_use_id: asked.tool_use_id }),
  });
  if (event.kind === 'command' || event.kind === 'tool') return event;
  if (event.kind === 'session-ended')
    throw refuse('invalid-request', 'This is no use of a tool.', 'Nothing was allowed.');
  // Its own rules said "ask" about a tool that a hook would leave to them: then a person is asked.
  const context = { session: null, toolUseId: asked.tool_use_id ?? null, statedReason: null, cwd };
  return { kind: 'tool', call: serverTool('claude', asked.tool_name, asked.input), context };
}
