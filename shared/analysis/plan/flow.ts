import { mergeVariables, type Variables } from './variables.ts';

/** What a shell remembers from one command to the next. */
export interface ShellState {
  /** The working directory, null where it cannot be known. */
  readonly cwd: string | null;
  /** Variables that earlier commands set. */
  readonly variables: Variables;
}

/** The state at a place; undefined where the place is never reached. */
export type State = ShellState | undefined;

/** The state after a command, by how it ended. */
export interface Flow {
  readonly ok: State;
  readonly failed: State;
}

export function merge(one: State, other: State): State {
  if (one === undefined || one === other) return other;
  if (other === undefined) return one;
  return {
    cwd: one.cwd === other.cwd ? one.cwd : null,
    variables: mergeVariables(one.variables, other.variables),
  };
}

/** Behind a command that changes nothing that a shell remembers. */
export function unchanged({ cwd, variables }: ShellState): Flow {
  const state = { cwd, variables };
  return { ok: state, failed: state };
}

/** Behind a command that ends the shell. */
export const ended: Flow = { ok: undefined, failed: undefined };
