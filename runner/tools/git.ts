import { execFile } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
} from 'node:fs';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { refuse } from '../../shared/base/index.ts';
import { fitsPattern } from '../../shared/engine/index.ts';
import type { NamedFile } from '../hosts/host.ts';

interface GitCall {
  /** Patterns of addresses; see `git.remotes` of a tool's policy. */
  readonly remotes: readonly string[];
  readonly user: string;
  /** The variable that holds the credential. */
  readonly variable: string;
  /** Absolute path of Git. */
  readonly program: string;
  readonly words: readonly string[];
  readonly cwd: string;
  /** An empty folder of our own. */
  readonly folder: string;
}

/** Takes no operand of its own for where it talks to, but a folder of the caller's to be made. */
const withoutRepository = 'clone';

/** How Git is started: its variables, and which files of the repository it is to use. */
export interface GitPlaces {
  readonly variables: Readonly<Record<string, string>>;
  /** Objects and refs: by real paths, as they are now. */
  readonly same: readonly NamedFile[];
  /** It writes there, and reads nothing that is not named otherwise. */
  readonly into: readonly string[];
}

/**
 * The variables under which Git may hold a credential in a repository that an agent can write. It
 * sees the objects and the refs, and settings that we wrote: hooks, filters, helpers, proxies and
 * rewritten addresses of the repository are not there to be followed. The credential goes to the
 * addresses of the policy and to no other. Rejects with `policy-deny` for any other address.
 */
export async function gitEnvironment(call: GitCall): Promise<GitPlaces> {
  const { words, folder, remotes } = call;
  const fixed = settingsOf(call);
  const common = {
    ...asVariables(fixed),
    GIT_ALLOW_PROTOCOL: remotes.some((one) => one.startsWith('http:')) ? 'https:http' : 'https',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    GIT_EDITOR: '/bin/false',
    GIT_PAGER: 'cat',
    GIT_OPTIONAL_LOCKS: '0',
  };
  if (words[0] === withoutRepository) {
    requireRemote(call, []);
    return { variables: common, ...nothing };
  }
  const repository = findRepository(call.cwd);
  if (repository === null) {
    requireRemote(call, []);
    const none = { GIT_CEILING_DIRECTORIES: '/', GIT_DIR: join(folder, 'none') };
    return { variables: { ...common, ...none }, ...nothing };
  }
  await requireOwnObjects(repository);
  const kept = await keptSettings(call, repository.shared);
  requireRemote(call, kept);
  const own = join(folder, 'git');
  await mkdir(own, { mode: 0o700 });
  await writeFile(join(own, 'config'), configText(kept), { mode: 0o600 });
  await writeFile(join(own, 'HEAD'), textOf(join(repository.own, 'HEAD')), { mode: 0o600 });
  const same: NamedFile[] = [];
  for (const name of ['objects', 'refs', 'packed-refs', 'shallow']) {
    const path = join(repository.shared, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    await symlink(path, join(own, name));
    same.push({ path: realpathSync(path), device: stats.dev, inode: stats.ino });
  }
  return {
    variables: { ...common, GIT_DIR: own, GIT_WORK_TREE: repository.tree },
    same,
    into: [realpathSync(repository.shared)],
  };
}

const nothing = { same: [], into: [] };

/** What holds over every file of settings, the person's own among them. */
function settingsOf({ remotes, user, variable }: GitCall): readonly (readonly [string, string])[] {
  const origins = [...new Set(remotes.map((one) => new URL(one.replaceAll('*', 'x')).origin))];
  const helper =
    `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' '${user}' ` +
    `"$${variable}"; }; f`;
  return [
    ['core.hooksPath', '/dev/null'],
    ['core.fsmonitor', 'false'],
    ['core.askPass', '/bin/false'],
    ['core.pager', 'cat'],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    ['submodule.recurse', 'false'],
    ['push.recurseSubmodules', 'no'],
    ['fetch.recurseSubmodules', 'false'],
    ['push.gpgSign', 'false'],
    // A redirect would take the credential of this address along to where it leads.
    ['http.followRedirects', 'false'],
    ['credential.interactive', 'false'],
    ['credential.useHttpPath', 'false'],
    // An empty helper forgets those before it: they would be told the credential to keep it.
    ['credential.helper', ''],
    ...origins.map((origin) => [`credential.${origin}.helper`, helper] as const),
  ];
}

function asVariables(
  settings: readonly (readonly [string, string])[],
): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(settings.length)],
    ...settings.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${String(at)}`, key],
      [`GIT_CONFIG_VALUE_${String(at)}`, value],
    ]),
  ]) as Readonly<Record<string, string>>;
}

interface Repository {
  /** Holds `HEAD`. */
  readonly own: string;
  /** Holds objects, refs and settings; the same but in a linked worktree. */
  readonly shared: string;
  readonly tree: string;
}

/**
 * The folder of the repository around a folder, and the commit that its HEAD is at; null for what is
 * not there or cannot be said. Nothing of it is run.
 */
export function headOf(
  cwd: string,
): { readonly tree: string; readonly head: string | null } | null {
  try {
    const found = findRepository(cwd);
    if (found === null) return null;
    return { tree: found.tree, head: commitAt(found) };
  } catch {
    return null;
  }
}

const commit = /^[0-9a-f]{40,64}$/u;

function commitAt({ own, shared }: Repository): string | null {
  const head = textOf(join(own, 'HEAD')).trim();
  const name = /^ref: (?<name>refs\/[^\0\n]+)$/u.exec(head)?.groups?.['name'];
  if (name === undefined) return commit.test(head) ? head : null;
  if (name.split('/').includes('..')) return null;
  try {
    const loose = textOf(join(shared, name)).trim();
    return commit.test(loose) ? loose : null;
  } catch {
    const packed = textOf(join(shared, 'packed-refs')).split('\n');
    const line = packed.find((one) => one.endsWith(` ${name}`)) ?? '';
    const [found = ''] = line.split(' ');
    return commit.test(found) ? found : null;
  }
}

const mostText = 16 << 20;

/** Of a plain file and no other: an agent may have put a pipe there, on which we would wait. */
function textOf(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > mostText) throw strange(`${path} is not a plain file`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** The repository around a folder, as Git finds it; null where there is none. */
export function findRepository(cwd: string): Repository | null {
  for (let at = cwd; ; at = dirname(at)) {
    const path = join(at, '.git');
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true) return { own: path, shared: path, tree: at };
    if (stats?.isFile() === true) return linked(path, at);
    if (stats !== undefined) throw strange(`${path} is neither a folder nor a file`);
    if (at === dirname(at)) return null;
  }
}

function linked(file: string, tree: string): Repository {
  const target = /^gitdir: (?<path>[^\n\0]{1,4096})\n?$/u.exec(textOf(file));
  const path = target?.groups?.['path'];
  if (path === undefined) throw strange(`${file} does not say where the repository is`);
  try {
    const own = realpathSync(resolve(tree, path));
    const said = (name: string): string => textOf(join(own, name)).trim();
    const shared = realpathSync(resolve(own, said('commondir')));
    // Else a file could name the repository of somebody else, which knows nothing of it: itself, or
    // in a folder that only says to belong there.
    const isKnown = dirname(own) === join(shared, 'worktrees');
    if (isKnown && realpathSync(resolve(own, said('gitdir'))) === realpathSync(file))
      return { own, shared, tree };
  } catch {
    // Said below, whichever of them is not there.
  }
  throw strange(`${file} leads to a repository that does not lead back`);
}

/** Throws where objects or refs are somebody else's: they would be sent as if they were its own. */
async function requireOwnObjects({ own, shared }: Repository): Promise<void> {
  for (const path of [join(own, 'HEAD'), join(shared, 'packed-refs'), join(shared, 'shallow')])
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false)
      throw strange(`${path} is not a plain file`);
  for (const name of ['objects', 'refs']) await requireNoLinks(join(shared, name));
  for (const name of ['alternates', 'http-alternates'])
    if (existsSync(join(shared, 'objects', 'info', name)))
      throw strange('it takes objects from elsewhere');
}

/** In a folder, itself included, down to the last: one link among refs or objects is enough to send another's. */
async function requireNoLinks(folder: string): Promise<void> {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory()) throw strange(`${folder} is not a folder`);
  const entries = await readdir(folder, { withFileTypes: true });
  const link = entries.find((one) => !one.isDirectory() && !one.isFile());
  if (link !== undefined) throw strange(`${join(folder, link.name)} is a link`);
  for (const one of entries) if (one.isDirectory()) await requireNoLinks(join(folder, one.name));
}

type Setting = readonly [key: string, value: string];

const harmless =
  /^(?:core\.(?:repositoryformatversion|filemode|ignorecase|precomposeunicode)|extensions\.objectformat|push\.default|remote\.pushdefault)$/u;
const ofRemote = /^remote\.(?<name>[A-Za-z0-9_-][A-Za-z0-9_.-]*)\.(?<what>url|pushurl|fetch)$/u;
const ofBranch = /^branch\.[^\0\n]+\.(?<what>remote|pushremote|merge)$/u;
const plainName = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/u;
const plainValue = /^[^\0\n]*$/u;

/**
 * What of a repository's own settings is taken over: formats, and remotes at addresses of the policy.
 * Reading them starts nothing, and follows no other file.
 */
async function keptSettings(
  { program, remotes, folder }: GitCall,
  shared: string,
): Promise<readonly Setting[]> {
  const list = ['config', '--file', join(shared, 'config'), '--no-includes', '--list', '-z'];
  const all = await promisify(execFile)(program, list, {
    cwd: folder,
    env: { PATH: '/usr/bin:/bin', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
    maxBuffer: 1024 * 1024,
    timeout: 10_000,
  }).catch(() => {
    throw strange('its settings cannot be read');
  });
  const settings = all.stdout
    .split('\0')
    .filter((one) => one.includes('\n'))
    .map((one): Setting => [one.slice(0, one.indexOf('\n')), one.slice(one.indexOf('\n') + 1)]);
  const foreign = settings.find(
    ([key]) => key.startsWith('extensions.') && !/\.(?:objectformat|worktreeconfig)$/u.test(key),
  );
  if (foreign !== undefined) throw strange(`it uses ${foreign[0]}`);
  return settings.filter(([key, value]) => {
    if (!plainValue.test(value)) return false;
    if (key === 'remote.pushdefault') return plainName.test(value);
    if (harmless.test(key)) return true;
    const what = ofRemote.exec(key)?.groups?.['what'];
    if (what !== undefined) return what === 'fetch' || isWelcome(value, remotes);
    const ofIt = ofBranch.exec(key)?.groups?.['what'];
    return ofIt === 'merge' || (ofIt !== undefined && plainName.test(value));
  });
}

function isWelcome(address: string, remotes: readonly string[]): boolean {
  return /^[\x21-\x7e]+$/u.test(address) && remotes.some((one) => fitsPattern(one, address));
}

/** Throws unless the call talks to a remote that is left, or to an address of the policy. */
function requireRemote({ words, remotes }: GitCall, kept: readonly Setting[]): void {
  const known = new Set(
    kept.flatMap(([key]) => {
      const { name, what } = ofRemote.exec(key)?.groups ?? {};
      return name !== undefined && what === 'url' ? [name] : [];
    }),
  );
  const where = words.slice(1).find((word) => !word.startsWith('-'));
  if (where === undefined ? known.size > 0 : known.has(where) || isWelcome(where, remotes)) return;
  throw refuse(
    'policy-deny',
    where === undefined
      ? 'The repository has no remote that the policy of git names.'
      : `The policy of git names no remote like "${where.slice(0, 200)}".`,
    'Its "git.remotes" lists the addresses: interlock tool show git',
  );
}

/** These settings as a file of settings. */
export function configText(settings: readonly (readonly [key: string, value: string])[]): string {
  return settings
    .map(([key, value]) => {
      const first = key.indexOf('.');
      const last = key.lastIndexOf('.');
      const section = key.slice(0, first);
      const middle = key.slice(first + 1, last);
      const head = last > first ? `[${section} ${quoted(middle)}]` : `[${section}]`;
      return `${head}\n\t${key.slice(last + 1)} = ${quoted(value)}\n`;
    })
    .join('');
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function strange(why: string): Error {
  return refuse(
    'policy-deny',
    `Git is not given a credential in this repository: ${why}.`,
    'A person may push from it without the broker.',
  );
}
