import { McpServer } from '@modelcontextprotocol/server';
import { approveInput, approveTool } from './approve-tool.ts';
import { execInput, execOutput } from './exec-schema.ts';
import { execTool } from './exec-tool.ts';
import type { McpParts } from './types.ts';

/** Interlock's server of the Model Context Protocol: the tools `exec` and `approve`. */
export function createMcpServer(parts: McpParts, version: string): McpServer {
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
