import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { refuse, s } from '../../../shared/base/index.ts';
import type { Static } from '../../../shared/base/index.ts';

const path = s.string({ pattern: '^/[^\\u0000\\n]{0,4095}$' });
const commit = s.string({ pattern: '^([0-9a-f]{40}|[0-9a-f]{64})$' });
/** Marks what is made for one box, so that nothing else is ever taken for it. */
const token = s.string({ pattern: '^[0-9a-f]{16}$' });
/** False until it was handed over: nobody can have worked in it before. */
const ready = s.boolean();

const directory = { kind: s.literal('directory'), path } as const;
const worktree = {
  kind: s.literal('worktree'),
  path,
  /** The folder with objects, refs and settings. */
  repository: path,
  /** Without `refs/heads/`. */
  branch: s.string({ pattern: '^interlock-[A-Za-z0-9_-]{1,63}$' }),
  /** What the branch was made at; null for a branch of an earlier box, which goes on. */
  base: s.nullable(commit),
  token,
  ready,
} as const;
const jj = { kind: s.literal('jj'), path, repository: path, token, ready } as const;
/** `from`: an address, or the path of a repository. */
const clone = {
  kind: s.literal('clone'),
  path,
  from: s.string({ minLength: 1, maxLength: 4096 }),
  token,
  ready,
} as const;

/**
 * What is kept of a box's workspace, in the file of the box: all that it takes to give the workspace
 * back, whatever was done of it by then. It is written down before anything is made.
 */
export const workspaceSchema = s.union(
  s.object(directory),
  s.object(worktree),
  s.object(jj),
  s.object(clone),
);
export type WorkspaceRecord = Static<typeof workspaceSchema>;
export type WorktreeRecord = Extract<WorkspaceRecord, { readonly kind: 'worktree' }>;
export type JjRecord = Extract<WorkspaceRecord, { readonly kind: 'jj' }>;
export type CloneRecord = Extract<WorkspaceRecord, { readonly kind: 'clone' }>;

/** Which workspace somebody wants. Paths are absolute. */
export type WorkspaceSource =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'worktree'; readonly repository: string }
  | { readonly kind: 'jj'; readonly repository: string }
  | { readonly kind: 'clone'; readonly from: string };

/** What preparing and releasing work with. */
export interface WorkspaceTools {
  /** A private folder of ours in which workspaces are made, each under the name of its box. */
  readonly root: string;
  /** The person's home folder. */
  readonly home: string;
  /** Interlock's own folder, which is never a workspace. */
  readonly interlockHome: string;
  /** Where programs are found, as `PATH`. */
  readonly path: string;
  /** Tools whose calls in a box go out of it; absent: none. */
  readonly brokered?: readonly string[];
  /** Variables by which the person's own sign-in at servers works (`SSH_AUTH_SOCK`). */
  readonly signIn: Readonly<Record<string, string>>;
  /** One line for each step that takes time. */
  readonly tell: (line: string) => void;
}

export interface Prepared {
  readonly record: WorkspaceRecord;
  /** What somebody has to know about it, as sentences. */
  readonly notes: readonly string[];
}

/** Something that was left where it is because it may be somebody's work. */
export interface Kept {
  readonly what: 'folder' | 'branch' | 'workspace';
  /** The path of the folder, or the name of the branch or workspace. */
  readonly where: string;
  /** A sentence without its full stop. */
  readonly why: string;
}

export interface ReleaseOptions {
  readonly keepBranch: boolean;
  /** Throw work away that is nowhere else. Only where a person said so. */
  readonly discard: boolean;
}

export function newToken(): string {
  return randomBytes(8).toString('hex');
}

/** Where the workspace of a box is made. */
export function placeOf(name: string, { root }: Pick<WorkspaceTools, 'root'>): string {
  return join(root, name);
}

/** Where something is put together, or taken apart, out of sight. */
export function besides(
  { path: place, token: mark }: { readonly path: string; readonly token: string },
  what: 'coming' | 'going',
): string {
  return `${place}.${mark}.${what}`;
}

export function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Throws where the place for a new workspace is taken. */
export function requireFree(place: string): void {
  if (!isThere(place)) return;
  throw refuse(
    'invalid-request',
    `${place} is there already: an earlier box may have left work in it.`,
    `Look at it and move it away, or work on in it with --workspace ${place}.`,
  );
}
