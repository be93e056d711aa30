/** What a model is asked, as far as the stand-in looks at it. */
export type Asked = Readonly<Record<string, unknown>>;

/** How one vendor's model speaks. */
export interface Dialect {
  /** Whether it is a call of this dialect. */
  readonly speaks: (url: string) => boolean;
  /** The names of the tools that the agent offers. */
  readonly toolsIn: (asked: Asked) => readonly string[];
  /** How a result of a tool shows in the text of a request. */
  readonly resultMark: string;
  /** The events of an answer that has the agent run a command in its shell. */
  readonly run: (tool: string, command: string, asked: Asked) => readonly string[];
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
