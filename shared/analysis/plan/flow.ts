/** A working directory: known, unknown (null), or at a place that is never reached. */
export type Cwd = string | null | undefined;

/** The working directory after a command, by how it ended. */
export interface Flow {
  readonly ok: Cwd;
  readonly failed: Cwd;
}

export function merge(one: Cwd, other: Cwd): Cwd {
  if (one === undefined) return other;
  if (other === undefined || one === other) return one;
  return null;
}

export function unchanged(cwd: Cwd): Flow {
  return { ok: cwd, failed: cwd };
}
