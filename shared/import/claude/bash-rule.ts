/** The words between the brackets of `Bash(…)`, and how the end of them is meant. */
export interface BashRule {
  /** Without the `:*` or ` *` at its end. */
  readonly text: string;
  /**
   * `exact`: nothing follows. `any`: any further words or none (`:*`). `some`: one further word at
   * least (` *`).
   */
  readonly end: 'exact' | 'any' | 'some';
}

export type ToolRule =
  /** Every command: `Bash`, `Bash(*)`. */
  | { readonly tool: 'bash'; readonly rule: null }
  | { readonly tool: 'bash'; readonly rule: BashRule }
  | { readonly tool: 'other' };

/** A permission rule of Claude Code, read as far as it is about commands. */
export function toolRule(text: string): ToolRule {
  const found = /^Bash(?:\((.*)\))?$/s.exec(text.trim());
  if (found === null) return { tool: 'other' };
  const inner = (found[1] ?? '').trim();
  if (inner === '' || inner === '*' || inner === ':*') return { tool: 'bash', rule: null };
  if (inner.endsWith(':*')) {
    return { tool: 'bash', rule: { text: inner.slice(0, -2).trimEnd(), end: 'any' } };
  }
  const some = /^(.*\S)\s+\*$/s.exec(inner);
  if (some !== null) return { tool: 'bash', rule: { text: some[1] ?? '', end: 'some' } };
  return { tool: 'bash', rule: { text: inner, end: 'exact' } };
}
