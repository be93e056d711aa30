import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import ignore from 'ignore';
import type { Ignore } from 'ignore';

/**
 * Which files of a workspace are kept: what Git tracks or does not ignore, as its own files say. Git
 * itself is never run here: a command may have written what it would obey. Texts and paths are byte
 * strings, because Git's patterns are about bytes.
 */
export interface Rules {
  /** Whether a path that nothing is known of is left out. Of a folder: with all that is in it. */
  leavesOut(path: string, isFolder: boolean): boolean;
}

/** Folders that are made from others, left out where no Git says what belongs to a project. */
const derived = new Set(
  `node_modules bower_components .venv venv __pycache__ .mypy_cache .pytest_cache .ruff_cache .tox .nox
   target build dist out .next .nuxt .svelte-kit .turbo .parcel-cache .gradle .m2 .cache .eggs
   vendor/bundle .terraform DerivedData .dart_tool Pods .stack-work dist-newstyle _build deps .direnv`.split(
    /\s+/,
  ),
);

const mostRules = 1 << 20;
const mostIndex = 256 << 20;

/** Small plain files of anybody, for what they say; null where there is none to be read. */
function readPlain(path: string, limit: number): Buffer | null {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    try {
      const stat = fstatSync(fd);
      return stat.isFile() && stat.size <= limit ? readFileSync(fd) : null;
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}

interface RulesOptions {
  /** Absolute; a plain path. */
  readonly root: string;
  /** The text of a `.gitignore` in a folder of the workspace; null where there is none. */
  readonly textIn: (folder: string) => string | null;
  /** Where a person's own rules for all projects lie; null for none. */
  readonly global: string | null;
}

/** Where Git looks for a person's rules for all projects. */
export function globalRules(home = homedir()): string {
  const settings = join(process.env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'git');
  for (const path of [join(home, '.gitconfig'), join(settings, 'config')]) {
    const text = readPlain(path, mostRules)?.toString('utf8') ?? '';
    const core = /^[ \t]*\[core\][^[]*/im.exec(text)?.[0] ?? '';
    const named = /^[ \t]*excludesfile[ \t]*=[ \t]*"?([^"\n#;]+?)"?[ \t]*$/im.exec(core)?.[1];
    if (named !== undefined) return named.startsWith('~/') ? join(home, named.slice(2)) : named;
  }
  return join(settings, 'ignore');
}

/** The rules as they stand now. Each file is read at the first question about it. */
export function openRules({ root, textIn, global }: RulesOptions): Rules {
  const own = gitFolder(root);
  if (own === null)
    return {
      leavesOut: (path, isFolder) => isFolder && derived.has(path.slice(path.lastIndexOf('/') + 1)),
    };
  const byFolder = new Map<string, Ignore | null>();
  const rulesIn = (folder: string): Ignore | null => {
    const known = byFolder.get(folder);
    if (known !== undefined) return known;
    const text = textIn(folder);
    const made = text === null ? null : patterns(text);
    byFolder.set(folder, made);
    return made;
  };
  const others = [join(own.common, 'info', 'exclude'), global].map((path) => {
    const text = path === null ? null : readPlain(path, mostRules);
    return text === null ? null : patterns(text.toString('latin1'));
  });
  let tracked: Tracked | null = null;
  return {
    leavesOut: (path, isFolder) => {
      if (!isIgnored(path, isFolder, { rulesIn, others })) return false;
      tracked ??= readTracked(own.own);
      return isFolder ? !tracked.folders.has(path) : !tracked.files.has(path);
    },
  };
}

function patterns(text: string): Ignore {
  // Git's names have cases.
  return ignore({ ignorecase: false, allowRelativePaths: true }).add(text);
}

/** The nearest file of rules that says anything about a path decides. */
function isIgnored(path: string, isFolder: boolean, { rulesIn, others }: RuleFiles): boolean {
  const asAsked = isFolder ? `${path}/` : path;
  for (let folder = parentOf(path); ; folder = parentOf(folder)) {
    const rules = rulesIn(folder);
    const said = rules?.test(folder === '' ? asAsked : asAsked.slice(folder.length + 1));
    if (said?.ignored === true) return true;
    if (said?.unignored === true) return false;
    if (folder === '') break;
  }
  for (const rules of others) {
    const said = rules?.test(asAsked);
    if (said?.ignored === true) return true;
    if (said?.unignored === true) return false;
  }
  return false;
}

interface RuleFiles {
  readonly rulesIn: (folder: string) => Ignore | null;
  readonly others: readonly (Ignore | null)[];
}

/** The folder that a path lies in; '' for the first ones. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Git's own folder for a workspace, and of a linked worktree the one that it shares. */
function gitFolder(root: string): { readonly own: string; readonly common: string } | null {
  const path = join(root, '.git');
  if (readPlain(join(path, 'HEAD'), mostRules) !== null) return { own: path, common: path };
  const leads = /^gitdir: (.+)$/m.exec(readPlain(path, 8_192)?.toString('utf8') ?? '')?.[1];
  if (leads === undefined) return null;
  const own = resolve(root, leads);
  const shared = readPlain(join(own, 'commondir'), 8_192)?.toString('utf8').trim();
  return { own, common: shared === undefined ? own : resolve(own, shared) };
}

interface Tracked {
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
}

/** What Git's index lists. What cannot be read lists nothing: then the rules alone decide. */
function readTracked(own: string): Tracked {
  const files = new Set(indexed(readPlain(join(own, 'index'), mostIndex)));
  const folders = new Set<string>();
  for (const path of files)
    for (let at = parentOf(path); at !== '' && !folders.has(at); at = parentOf(at)) folders.add(at);
  return { files, folders };
}

const indexHead = 12;
/** Of an entry of the index before its name: times, numbers, mode, owner, size, SHA-1, flags. */
const entryHead = 62;

/** The paths in a Git index of version 2 to 4 with SHA-1, up to where it makes sense. */
function indexed(bytes: Buffer | null): readonly string[] {
  if (bytes === null || bytes.length < indexHead || bytes.toString('latin1', 0, 4) !== 'DIRC')
    return [];
  const version = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  if (version < 2 || version > 4) return [];
  const paths: string[] = [];
  let last = '';
  for (let at = indexHead; paths.length < count && at + entryHead < bytes.length;) {
    const isLong = version > 2 && (bytes.readUInt16BE(at + 60) & 0x4000) !== 0;
    let name = at + entryHead + (isLong ? 2 : 0);
    let kept = '';
    if (version === 4) {
      const { value, next } = offsetAt(bytes, name);
      kept = last.slice(0, Math.max(0, last.length - value));
      name = next;
    }
    const end = bytes.indexOf(0, name);
    if (end === -1) break;
    last = kept + bytes.toString('latin1', name, end);
    paths.push(last);
    // Up to version 3 entries are filled up to eights, with one NUL at least.
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return paths;
}

/** A number as in pack files: seven bits a byte, each byte but the first one counting one more. */
function offsetAt(bytes: Buffer, from: number): { readonly value: number; readonly next: number } {
  let at = from;
  let byte = bytes[at] ?? 0;
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0 && at < bytes.length) {
    at += 1;
    byte = bytes[at] ?? 0;
    value = ((value + 1) * 128) | (byte & 0x7f);
  }
  return { value, next: at + 1 };
}

/** Whether a change of this file changes what is left out. */
export function isRuleFile(path: string): boolean {
  return path === '.gitignore' || path.endsWith('/.gitignore');
}

/** Changes with what lies outside of a workspace's own files and says what belongs to it. */
export function rulesSignature(root: string, global: string | null): string {
  const own = gitFolder(root);
  const paths = own === null ? [] : [join(own.own, 'index'), join(own.common, 'info', 'exclude')];
  return [...paths, ...(global === null ? [] : [global])].map(signatureOf).join(' ');
}

function signatureOf(path: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path);
    return `${ino}:${size}:${mtimeMs}:${ctimeMs}`;
  } catch {
    return '-';
  }
}
