import { joinPath, realTarget } from '../../plan/paths.ts';
import type { FileView, Stage } from '../../plan/types.ts';
import { open, pinnedHere, type Finding } from '../finding.ts';
import type { Reading } from '../types.ts';
import { readSettings } from './config.ts';
import {
  findRepository,
  readIndex,
  readText,
  repositoryAt,
  type Repository,
  textOf,
} from './find.ts';
import { whyStarts } from './settings.ts';

/**
 * Hooks that run whenever git writes its index or a reference, so also at `git status`. The others
 * run at a commit, a merge, a push: who allows those trusts the hooks of the project, as who allows
 * `npm test` trusts its scripts.
 */
const anywhere = ['post-index-change', 'reference-transaction', 'pre-auto-gc'];

/** Repositories inside repositories are followed this deep. */
const deepest = 4;
const mostRepositories = 64;

/**
 * Pinned where git would start what the settings or hooks of the repository name: they lie in the
 * project, where an agent writes. The settings of the person and of the machine are trusted.
 * `earlier` are the stages before this one, which may have put another repository in its place.
 */
export function judgeRepository(
  directory: string | null,
  files: FileView,
  earlier: readonly Stage[],
): Finding {
  const cwd = directory === null ? null : files.realPath(directory);
  if (cwd === null)
    return endsBefore(directory, files, earlier)
      ? open
      : pinnedHere('git goes by a repository that is not known');
  const found = findRepository(files, cwd);
  const replaced = found === null || found === 'unclear' || found.tree !== cwd;
  if (replaced && earlier.some((stage) => bringsFolders(stage, files)))
    return pinnedHere(
      'an earlier part of the command may bring a repository with settings of its own',
    );
  if (found === null) return open;
  const why = whyNot(found, { files, left: mostRepositories, depth: 0 });
  return why === null ? open : pinnedHere(why);
}

/** Options of `git checkout` with which its operand is a commit. */
const toCommit: ReadonlySet<string> = new Set([
  '-b',
  '-B',
  '--orphan',
  '-d',
  '--detach',
  '-t',
  '--track',
]);

/**
 * `git checkout src` puts a folder back, and throws away what was not committed of it, where `src` is
 * one: the arguments do not tell it from a branch.
 */
export function judgeCheckout(
  { command, options, operands }: Reading,
  directory: string | null,
  files: FileView,
): Finding {
  const [first, another] = operands;
  if (command[0] !== 'checkout' || first === undefined || another !== undefined) return open;
  if (options.some(({ name }) => toCommit.has(name)) || directory === null) return open;
  const exists = files.facts(joinPath(directory, first.text)) !== null;
  const reason = 'git throws away work or changes history';
  return exists ? { trust: { level: 'spelled', reason, words: [first.word] } } : open;
}

/** Whether git surely does not run, or at once gives up: nothing made the folder, and it is not there. */
function endsBefore(directory: string | null, files: FileView, earlier: readonly Stage[]): boolean {
  if (directory !== null) return earlier.length === 0;
  const [only, another] = earlier;
  const to = only?.argv[1];
  if (another !== undefined || to === undefined || only?.executable.kind !== 'builtin')
    return false;
  if (only.executable.name !== 'cd' || only.cwd === null) return false;
  return files.realPath(to.startsWith('/') ? to : `${only.cwd}/${to}`) === null;
}

/** Whether a stage can bring a whole folder, `.git` and all, from somewhere else. */
function bringsFolders(stage: Stage, files: FileView): boolean {
  const { executable, argv, carries, cwd } = stage;
  if (executable.kind !== 'file') return false;
  const name = executable.path.slice(executable.path.lastIndexOf('/') + 1);
  if (/^(?:ln|rsync|scp|.*tar|unzip|7z.*|unrar|cpio|pax|patch)$/.test(name)) return true;
  if (name === 'cp') return argv.some((word) => /^-[A-Za-z]*[rRa]|^--(?:rec|arc)/.test(word));
  const isFolder = (word: string): boolean =>
    files.facts(joinPath(cwd ?? '/', word))?.kind === 'directory';
  if (name === 'mv') return cwd === null || stage.globs.length > 0 || argv.slice(1).some(isFolder);
  return carries.some((inner) => bringsFolders(inner, files));
}

interface Search {
  readonly files: FileView;
  left: number;
  readonly depth: number;
}

function whyNot(repository: Repository | 'unclear', search: Search): string | null {
  if (repository === 'unclear') return 'git would use a repository that cannot be made out';
  if (search.depth > deepest || search.left-- <= 0)
    return 'there are more repositories in this one than are looked through';
  return (
    whySettings(repository, search.files) ??
    whyHooks(`${repository.common}/hooks`, search.files) ??
    whyInner(repository, search)
  );
}

function whySettings({ own, common, tree }: Repository, files: FileView): string | null {
  for (const path of new Set([`${common}/config`, `${own}/config`, `${own}/config.worktree`])) {
    if (files.facts(path) === null) continue;
    const text = readText(files, path);
    const settings = text === null ? null : readSettings(text);
    if (settings === null) return `the settings of git in ${path} cannot be read`;
    for (const setting of settings) {
      const { key, value } = setting;
      // How git itself notes the working tree of a submodule.
      if (key === 'core.worktree' && tree !== null && joinPath(own, value) === tree) continue;
      if (key === 'core.hookspath') {
        const hooks = whyHooksPath(value, tree, files);
        if (hooks !== null) return hooks;
        continue;
      }
      const why = whyStarts(setting);
      if (why !== null) return `the repository sets ${key}, which ${why}`;
    }
  }
  return null;
}

/** Hooks may lie in the project itself (`.husky`), and are then trusted as far as hooks are. */
function whyHooksPath(value: string, tree: string | null, files: FileView): string | null {
  if (value === '' || value === '/dev/null') return null;
  const path = tree === null ? null : (realTarget(files, tree, value) ?? joinPath(tree, value));
  if (path === null || value.startsWith('~') || !path.startsWith(`${tree}/`))
    return 'the repository sets core.hookspath, which leads out of the project';
  return whyHooks(path, files);
}

function whyHooks(directory: string, files: FileView): string | null {
  const hook = anywhere.find((name) => files.facts(`${directory}/${name}`)?.executable === true);
  return hook === undefined
    ? null
    : `the repository has the hook ${hook}, which runs at nearly every command`;
}

/** Repositories inside: git looks into each of them, and goes by their settings there. */
function whyInner({ own, tree }: Repository, search: Search): string | null {
  const { files, depth } = search;
  if (tree === null || files.facts(`${own}/index`) === null) return null;
  const index = readIndex(files, `${own}/index`);
  const links = index === null ? null : gitlinksIn(index);
  if (links === null) return 'the index of the repository cannot be read';
  for (const path of links) {
    const inner = repositoryAt(files, `${tree}/${path}`);
    if (inner === null) continue;
    const next = { files, left: search.left, depth: depth + 1 };
    const why = whyNot(inner, next);
    search.left = next.left;
    if (why !== null) return `${why} (in ${path})`;
  }
  return null;
}

/** Mode of an entry that stands for another repository. */
const gitlink = 0xe000;

/**
 * Paths of the other repositories in a git index: each has settings of its own, which git follows
 * when it looks into them. Null where the index cannot be read to its end, or goes on in another file.
 */
export function gitlinksIn(index: Uint8Array): readonly string[] | null {
  if (index.length < 12) return null;
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  if (view.getUint32(0) !== 0x44495243) return null;
  const version = view.getUint32(4);
  if (version < 2 || version > 4) return null;
  const links: string[] = [];
  let before = new Uint8Array(0);
  let at = 12;
  for (let left = view.getUint32(8); left > 0; left--) {
    if (at + 62 > index.length) return null;
    const mode = view.getUint32(at + 24) & 0xf000;
    const extended = (view.getUint16(at + 60) & 0x4000) !== 0;
    const start = at + (extended ? 64 : 62);
    const prefix = version === 4 ? prefixOf(index, start, before.length) : { kept: 0, at: start };
    if (prefix === null) return null;
    const end = index.indexOf(0, prefix.at);
    if (end === -1) return null;
    if (version === 4) {
      const own = index.subarray(prefix.at, end);
      const name = new Uint8Array(prefix.kept + own.length);
      name.set(before.subarray(0, prefix.kept));
      name.set(own, prefix.kept);
      before = name;
      at = end + 1;
      if (mode === gitlink) links.push(textOf(name));
    } else {
      if (mode === gitlink) links.push(textOf(index.subarray(start, end)));
      // Entries are filled up with zeros to a multiple of eight.
      at += (end - at + 8) & ~7;
    }
  }
  return continues(index, view, at) ? null : links;
}

/** How much of the name before begins this one; written as git writes numbers of any length. */
function prefixOf(
  index: Uint8Array,
  start: number,
  before: number,
): { readonly kept: number; readonly at: number } | null {
  let at = start;
  let byte = index[at++] ?? 0;
  let cut = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    if (at >= index.length || cut > before) return null;
    byte = index[at++] ?? 0;
    cut = ((cut + 1) << 7) | (byte & 0x7f);
  }
  return cut > before ? null : { kept: before - cut, at };
}

/** Whether a further part says that entries stand in another file. */
function continues(index: Uint8Array, view: DataView, start: number): boolean {
  for (let at = start; at + 8 < index.length - 20;) {
    if (view.getUint32(at) === 0x6c696e6b) return true;
    at += 8 + view.getUint32(at + 4);
  }
  return false;
}
