/**
 * What the analysis of a command yields. Pure data: positions are UTF-16 offsets into the text of
 * the request, paths are absolute, and everything is readonly.
 */

import { s } from '../../base/index.ts';
import type { Static } from '../../base/index.ts';
import type { FolderEntry, KnownPlace, Placement } from '../places/types.ts';
import type { ToolInUse } from '../tools/types.ts';

/** A command as it reaches the gate: exactly one of `argv` (no shell) and `command` (shell text). */
export interface CommandRequest {
  readonly argv?: readonly string[];
  readonly command?: string;
  /** Absolute real path of the working directory. */
  readonly cwd: string;
  /** Variables that the caller wants set for the command. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Half-open range of the request's text. */
export const spanSchema = s.object({
  start: s.integer({ minimum: 0 }),
  end: s.integer({ minimum: 0 }),
});
export type Span = Static<typeof spanSchema>;

/** How an executable was found, and what is known about the file. */
export type Executable =
  | { readonly kind: 'builtin'; readonly name: string }
  | { readonly kind: 'missing'; readonly name: string }
  | ToolInUse
  | {
      readonly kind: 'file';
      /** As written in the command. */
      readonly name: string;
      /** A bare name found through PATH, or a path that was written out. */
      readonly foundBy: 'path' | 'written';
      /** First hit, before symlinks are followed. */
      readonly path: string;
      readonly realPath: string;
      /** The file, and each symbolic link on the way to it, is where only the system's owner writes. */
      readonly trusted: boolean;
      /** An agent could change the file: it lies in the workspace, or is writable by others. */
      readonly agentWritable: boolean;
      /** Real path of the interpreter when the file is a script with a `#!` line. */
      readonly interpreter: string | null;
    };

export interface Assignment {
  readonly name: string;
  readonly value: string;
  /** The shell surely keeps it to itself: no program is given it. */
  readonly kept?: true;
  /** Names folders of the project, and no other, from which interpreters import. */
  readonly imports?: true;
}

/**
 * How far a rule may trust what a stage does with its arguments.
 * `open`: the program does what its name says. `named`: nothing is known of it, so a rule must name
 * it; a pattern for many programs at once is not enough. `spelled`: it changes what cannot be brought
 * back or lies beyond the project, so a rule must write out the arguments that say so. `pinned`: it can run other programs or code through
 * its arguments, so a rule must pin every argument. `never`: no rule allows it, a person may.
 */
export type Trust =
  | { readonly level: 'open' }
  | { readonly level: 'named'; readonly reason: string }
  | {
      readonly level: 'spelled';
      readonly reason: string;
      /** Indexes of the arguments, the name of the program not counted. */
      readonly words: readonly number[];
    }
  | {
      readonly level: 'pinned';
      readonly reason: string;
      /**
       * Where present: how many arguments decide what runs (`-m pytest` are two). A rule that pins
       * these may leave the later ones open: they belong to what runs, as they would without the
       * program in front. Absent: every argument must be pinned.
       */
      readonly leading?: number;
      /** Those of them, by index, that decide nothing of it: a rule may leave them open. */
      readonly parts?: readonly number[];
      /** What lies in the folder decides it: the same words elsewhere are no more than words. */
      readonly folder?: true;
    }
  | {
      readonly level: 'never';
      readonly reason: string;
      /** Nothing is wrong but that its code comes in as input. */
      readonly input?: true;
    };

/** A transparent program that was looked through on the way to the program of a stage. */
export interface Wrapper {
  /** As shown in `via`: `timeout`, `bash -c`. */
  readonly label: string;
  readonly executable: Executable;
  /** Everything the wrapper is given, the inner command included; `argv[0]` as written. */
  readonly argv: readonly string[];
}

/** A place that steers, is secret, runs later or is Interlock's own, and what a stage does there. */
export interface GuardedUse {
  readonly use: 'read' | 'write';
  /** The argument that leads there; null for a redirection and for the target of a tool. */
  readonly word: string | null;
  readonly placement: Placement;
}

/**
 * What a program does with its arguments, by its record. Paths are absolute with links followed; one
 * that holds a pattern stands for the folder that the pattern stays in, and one that cannot be
 * known is null. A path stands for all below it where it is a folder.
 */
export interface StageEffects {
  readonly reads: readonly (string | null)[];
  readonly writes: readonly (string | null)[];
  readonly deletes: readonly (string | null)[];
  /** Folders in which files with names chosen by others are made. */
  readonly into: readonly (string | null)[];
  /** Programs as they are named; null where that cannot be told. */
  readonly starts: readonly (string | null)[];
  /** Addresses as they are written; an empty one stands for what settings name. */
  readonly reaches: readonly string[];
  readonly network: boolean;
}

/**
 * One program that a plan runs.
 *
 * A transparent wrapper (`timeout 5 git status`) is not a stage: the stage is `git status`, and
 * `timeout` stands in `wrappers`. An allow rule is held against the stage alone, so a rule for
 * `timeout` never covers what it runs; a deny or ask rule is held against the stage, each of its
 * wrappers and each stage that it carries.
 *
 * Any other program that runs programs (`sudo ls`, `find . -exec rm {} +`, `xargs wc`) is the
 * stage, with `trust` `pinned` or `never`, and what it would run stands in `carries`.
 */
export interface Stage {
  /** Places that only a rule which names them covers, and that this stage changes or reads. */
  readonly guarded: readonly GuardedUse[];
  /** Literal words; `argv[0]` as written. A word listed in `globs` is a pattern, not a value. */
  readonly argv: readonly string[];
  /**
   * Indexes of the words of `argv` that the shell will still expand: file name patterns, and words
   * with `$?`. Such a word is not a literal: only "anything after" in a rule may cover it.
   */
  readonly globs: readonly number[];
  readonly executable: Executable;
  /**
   * Real path of the file of code that an interpreter is told to run (`bash build.sh`), or null.
   * What it holds is part of what runs, as with a `#!` script.
   */
  readonly script: string | null;
  /** Code that stands in the command itself and is given as input (`python3 - <<X`). Absent: none. */
  readonly code?: string;
  /** That code was read to its end, so that the effects are all that it does. */
  readonly isCodeRead?: true;
  /** The script of a `package.json` that it runs. Absent: none, or not known for sure. */
  readonly recipe?: Recipe;
  /** Files that say what it does, where its words do not say all of it. Absent: none are known. */
  readonly files?: DecidingFiles;
  /** Labels of `wrappers`, outermost first: `["timeout", "bash -c"]`. */
  readonly via: readonly string[];
  /** The transparent wrappers looked through, outermost first. */
  readonly wrappers: readonly Wrapper[];
  /**
   * What this stage would run through its arguments, as far as it can be seen. For deny rules, risk
   * and display; an allow rule for the stage does not need rules for these.
   */
  readonly carries: readonly Stage[];
  /** Absolute working directory of this stage, or null where it cannot be known. */
  readonly cwd: string | null;
  readonly assignments: readonly Assignment[];
  /** Absolute paths that redirections write, and those they read. */
  readonly writes: readonly string[];
  readonly reads: readonly string[];
  readonly trust: Trust;
  /** Without redirections; null where nothing is known of the program. */
  readonly effects: StageEffects | null;
  /** Where the stage stands in the request's text; null for an `argv` request. */
  readonly span: Span | null;
}

/** An entry of the `scripts` of a package, with what runs before and after it. */
export interface Recipe {
  /** Absolute path of the `package.json`. */
  readonly file: string;
  readonly name: string;
  /** Of the name and the texts; see `recipeDigest`. */
  readonly digest: string;
  /** Each script that stands there, this one among them. */
  readonly all: readonly { readonly name: string; readonly digest: string }[];
}

/** Files by what they say a program does what it does; see `programs/deciding.ts`. */
export interface DecidingFiles {
  /** Absolute real paths. */
  readonly paths: readonly string[];
  /** sha256 (hex) of the paths and of what they hold; null where that cannot be told for sure. */
  readonly digest: string | null;
}

/** The exact thing that will run. */
export type Execution =
  | { readonly kind: 'argv'; readonly file: string; readonly argv: readonly string[] }
  | { readonly kind: 'shell'; readonly text: string };

/** A command of which every program and every word is known. */
export interface Plan {
  /** In the order of the text, wrappers looked through, transparent wrappers looked through. */
  readonly stages: readonly Stage[];
  /** The canonical rendering: absolute executables, every word quoted. */
  readonly canonical: string;
  /** Null where the agent's host carries it out itself. */
  readonly execution: Execution | null;
}

/** Why a command is not understood. Stable: these words stand in verdicts, prompts and the log. */
export const opaqueReasons = [
  'syntax-error',
  'too-long',
  'too-deep',
  'control-character',
  'command-substitution',
  'process-substitution',
  'parameter-expansion',
  'arithmetic',
  'array',
  'glob',
  'brace-expansion',
  'tilde',
  'heredoc-expansion',
  'redirect',
  'background',
  'control-flow',
  'function-definition',
  'assignment',
  'dynamic-executable',
  'builtin',
  'alias',
  'history-expansion',
  'unsafe-environment',
  'unsupported-syntax',
] as const;
export type OpaqueReason = (typeof opaqueReasons)[number];

/** A plan, or the reason why there is none together with the stages that could still be seen. */
export type Analysis =
  | { readonly ok: true; readonly plan: Plan }
  | {
      readonly ok: false;
      readonly reason: OpaqueReason;
      /** One sentence for a person. */
      readonly detail: string;
      readonly span: Span | null;
      /** Best effort, for prompts, risk findings and deny rules; never enough to allow anything. */
      readonly stages: readonly Stage[];
      /** Guarded places that stand anywhere in the text; best effort too. */
      readonly guarded: readonly GuardedUse[];
    };

/** What a look at one path of the file system can tell. */
export interface FileFacts {
  readonly kind: 'file' | 'directory' | 'other';
  readonly executable: boolean;
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly inode: number;
  /** Absent where the view does not tell. */
  readonly device?: number;
}

/** What lies at a path itself: a symbolic link is told, not followed. */
export interface PathStatus extends FileFacts {
  readonly isLink: boolean;
}

/** The part of the file system that the analysis may look at; the only I/O it causes. */
export interface FileView {
  /** Canonical path with all symlinks followed, or null when it does not exist. */
  realPath(path: string): string | null;
  /** Facts about what the path leads to, or null when it does not exist or cannot be read. */
  facts(path: string): FileFacts | null;
  /** At most `bytes` bytes from the start of a file, or null. For `#!` lines. */
  head(path: string, bytes: number): Uint8Array | null;
  /** Whether `head` would answer just this now; for a view that can tell without a copy of it. */
  isHead?(path: string, bytes: number, before: Uint8Array): boolean;
  /** Whether the path itself, not what it leads to, is a symbolic link. */
  isLink(path: string): boolean;
  /** What a symbolic link holds, as written; null for anything else. */
  readLink(path: string): string | null;
  /** What lies in a folder; null where it cannot be read, or holds too many names to list. */
  entries?(folder: string): readonly FolderEntry[] | null;
  /**
   * What lies at a path, or null. Only for a view in which a path without links on the way is its
   * own real path, as on Linux: others may know one file by several spellings.
   */
  status?(path: string): PathStatus | null;
}

/** Everything about the machine that the meaning of a command depends on. */
export interface Surroundings {
  readonly files: FileView;
  readonly platform: 'linux' | 'darwin' | 'win32';
  readonly uid: number;
  /** Absolute directories of the runner's own PATH, in order. */
  readonly path: readonly string[];
  /** Directories whose programs are trusted by a bare-name rule, where the user cannot write them. */
  readonly trustedDirectories: readonly string[];
  /**
   * Those among them whose programs are trusted although they belong to the user: where the package
   * manager of a platform works without root.
   */
  readonly managedDirectories?: readonly string[];
  readonly home: string;
  /** Real paths of directories in which agents may write, besides the request's own cwd. */
  readonly workspaces: readonly string[];
  /** Variables whose value the runner itself sets for every command. */
  readonly variables: Readonly<Record<string, string>>;
  /** Absolute path of the shell that runs canonical renderings. */
  readonly shell: string;
  /** Places that only this machine can tell: Interlock's own folder, files that hold hooks. */
  readonly known?: readonly KnownPlace[];
}
