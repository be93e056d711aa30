import type { ArgToken } from '../policy/types.ts';

/** `{project}` in a pattern or an example stands for the folder that the set is bound to. */
export const folderMark = '{project}';

export interface StarterRule {
  /** Unique within its set, and the same in every version of it. */
  readonly name: string;
  /** Why it is well to allow this; becomes the note of the rule. */
  readonly why: string;
  readonly kind?: 'edit' | 'fetch';
  readonly pattern: string;
  readonly args?: readonly ArgToken[];
  /**
   * What it may change: `nothing` at all, or files of the `project`. Absent: whatever the program
   * changes by itself, and no file by redirection.
   */
  readonly changes?: 'nothing' | 'project';
  /**
   * A file of the project, relative to it: the program of the rule (`pattern` is the same), or the
   * script that its interpreter is given first. The rule holds what it is when the set is bound, and is
   * left out where there is no such file.
   */
  readonly held?: string;
  /** Only uses that print and change nothing, as the record of the program has it. */
  readonly only?: 'reads';
  /** Expression over the arguments joined by one space; see `argPattern` of rules. */
  readonly argPattern?: string;
  readonly examples: { readonly match: readonly string[]; readonly noMatch: readonly string[] };
}

/** A set of rules to begin with. Whoever changes a rule raises the version. */
export interface StarterSet {
  readonly name: string;
  readonly version: number;
  /** For a person. */
  readonly title: string;
  readonly says: string;
  /** Sets that come with it. */
  readonly needs: readonly string[];
  readonly rules: readonly StarterRule[];
}
