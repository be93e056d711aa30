/** What a model is asked, as far as the stand-in looks at it. */
export type Asked = Readonly<Record<string, unknown>>;

/** One use of a tool that the stand-in has the agent make. */
export interface ToolUse {
  readonly tool: string;
  /** Where the tool stands in a group of its own, as those of MCP servers do under Codex. */
  readonly namespace?: string;
  /** An object, or text for tools that take free text. */
  readonly input: object | string;
  /** Differs within a conversation. */
  readonly id: string;
}

/** How one vendor's model speaks. */
export interface Dialect {
  /** Whether it is a call of this dialect. */
  readonly speaks: (url: string) => boolean;
  /** The names of the tools that the agent offers. */
  readonly toolsIn: (asked: Asked) => readonly string[];
  /** What the tools that were used so far gave back, in order. */
  readonly resultsIn: (asked: Asked) => readonly string[];
  /** The input of a shell tool for a command. */
  readonly shellInput: (tool: string, command: string) => object;
  /** The events of an answer that has the agent use a tool. */
  readonly use: (use: ToolUse, asked: Asked) => readonly string[];
  /** The events of an answer that ends the turn. */
  readonly end: (asked: Asked) => readonly string[];
  readonly shells: readonly string[];
}

/** One server-sent event, with a name where the vendor gives it one. */
export function event(data: unknown, name?: string): string {
  const line = name === undefined ? '' : `event: ${name}\n`;
  return `${line}data: ${JSON.stringify(data)}\n\n`;
}

/** The fields of each thing in a list, wherever there is one. */
export function listIn(asked: Asked, field: string): readonly Asked[] {
  const value = asked[field];
  return Array.isArray(value) ? (value as readonly Asked[]) : [];
}

/** What a tool gave back as one text: the texts of its parts, or else the value as JSON. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? (content as readonly Asked[]) : [];
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return texts.length > 0 ? texts.join('') : JSON.stringify(content);
}
