import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { recordOf, serverTool } from '../../../shared/agents/index.ts';
import type { HookEvent } from '../../../shared/wire/index.ts';
import { refuse, s } from '../../../shared/base/index.ts';
import type { Static } from '../../../shared/base/index.ts';
import { answerOf, refusalText } from '../asking.ts';
import { checkedYes, ticketOf } from '../asking.ts';
import { callFields } from '../asking.ts';
import { redeemCommand } from '../asking.ts';
import { toolSchema } from './tool.ts';
import { progressOf } from './tool.ts';
import type { McpParts } from './tool.ts';

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
