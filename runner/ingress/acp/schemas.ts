import { compile, s } from '../../../shared/base/index.ts';
import type { Static } from '../../../shared/base/index.ts';

/** Messages of the Agent Client Protocol, versions 1 and 2, as far as the gate needs them. */

const text = s.string();
const textOrNull = s.optional(s.nullable(text));
const something = s.string({ minLength: 1 });
const id = s.string({ minLength: 1, maxLength: 1_024 });
const folder = s.string({ pattern: '^/' });
const list = s.optional(s.nullable(s.array(s.unknown())));

const toolCallFields = {
  toolCallId: id,
  kind: textOrNull,
  name: textOrNull,
  title: textOrNull,
  rawInput: s.optional(s.unknown()),
  content: list,
  locations: list,
};

/** A tool call, or a change of one: whatever is absent stays as it was told before. */
const toolCall = s.open(toolCallFields);
export type ToolCallPart = Static<typeof toolCall>;

const permissionOption = s.open({ optionId: text, kind: text });
export type PermissionOption = Static<typeof permissionOption>;

/** `session/request_permission`: `toolCall` in version 1, `subject` in version 2. */
const permission = s.open({
  sessionId: id,
  toolCall: s.optional(toolCall),
  title: s.optional(text),
  description: textOrNull,
  subject: s.optional(s.nullable(s.open({ type: text }))),
  options: s.array(permissionOption, { maxItems: 100 }),
});
export type PermissionParams = Static<typeof permission>;
export const checkPermission = compile(permission);

export const checkCommandSubject = compile(
  s.open({ type: s.literal('command'), command: something, cwd: folder, toolCallId: textOrNull }),
);

export const checkToolCallSubject = compile(s.open({ type: s.literal('tool_call'), toolCall }));

export const checkToolCallUpdate = compile(
  s.open({
    sessionId: id,
    update: s.open({
      ...toolCallFields,
      sessionUpdate: s.oneOf(['tool_call', 'tool_call_update']),
    }),
  }),
);

/** `terminal/create`. */
const terminal = s.open({
  sessionId: id,
  command: something,
  args: s.optional(s.nullable(s.array(text))),
  env: s.optional(s.nullable(s.array(s.open({ name: text, value: text })))),
  cwd: s.optional(s.nullable(folder)),
});
export const checkTerminal = compile(terminal);

/** `fs/write_text_file`. */
export const checkWriteFile = compile(s.open({ sessionId: id, path: something, content: text }));

export const checkDiff = compile(
  s.open({ type: s.literal('diff'), path: something, oldText: textOrNull, newText: text }),
);

export const checkLocation = compile(s.open({ path: something }));

export const checkSession = compile(s.open({ sessionId: id }));
export const checkFolder = compile(s.open({ cwd: s.string({ pattern: '^/', maxLength: 4_096 }) }));
export const checkCancelled = compile(s.open({ requestId: s.union(text, s.integer()) }));
