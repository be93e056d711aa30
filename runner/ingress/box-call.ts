import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { refuse } from '../../shared/base/index.ts';
import type { ToolPolicy } from '../../shared/engine/index.ts';
import type { BoxCall, ExecRequest } from '../../shared/wire/index.ts';
import type { AskForTool, HostTask, NamedFile, Starting } from '../hosts/host.ts';
import { isBelow } from '../hosts/sandbox/paths.ts';
import { headOf } from '../tools/git.ts';
import { publishes } from '../tools/npm.ts';

/** Where calls of one sandbox come from. */
export interface CallPlace {
  readonly task: Pick<HostTask, 'cwd'>;
  readonly policies: ReadonlyMap<string, ToolPolicy>;
  readonly workspace: string;
  /** By which the repository of the workspace is known that was there before the command. */
  readonly history: string | null;
  /** What is committed there is taken over when a box ends, and not when the command does. */
  readonly stays?: boolean;
}

/** The repository of a folder: its number and kind; null where there is none. */
export function historyMark(workspace: string): string | null {
  const stats = lstatSync(join(workspace, '.git'), { throwIfNoEntry: false, bigint: true });
  if (stats === undefined || stats.isSymbolicLink()) return null;
  return `${stats.dev}:${stats.ino}`;
}

/** A call as it is outside, and what of the project it names there. */
interface CallHere {
  readonly request: Parameters<AskForTool>[0];
  readonly named: readonly NamedFile[];
}

/** The call as it is outside: what only the sandbox has is not there. Throws a refusal. */
function asHere(
  call: BoxCall,
  { task, policies, workspace, history, stays = false }: CallPlace,
): CallHere {
  const { argv, cwd, env, stdin } = call;
  const [tool = '', ...words] = argv;
  const policy = policies.get(tool);
  if (policy === undefined)
    throw refuse(
      'policy-deny',
      `No tool named "${tool.slice(0, 60)}" is brokered in this sandbox.`,
      'Run it as a command of its own.',
    );
  const folder = realFolder(cwd, workspace);
  const packs = publishes(tool, argv);
  const usesFolder = policy.folder === 'caller' || packs;
  if (folder === null && usesFolder)
    throw refuse(
      'invalid-request',
      `${tool} runs on this machine, which has of this sandbox only the project, and not ${cwd}.`,
      `Call it in ${workspace}.`,
    );
  const named = Object.entries(env).filter(([name]) => policy.env?.includes(name) === true);
  const base = usesFolder ? folder : null;
  // What npm publishes where no other package is named.
  const said = [...words, ...named.map(([, value]) => value), ...(packs ? ['.'] : [])];
  for (const word of said) requireShared(word, { tool, workspace, base });
  if (policy.git !== undefined) requireOwnHistory(call, { history, workspace, folder, stays });
  return {
    request: {
      argv: [...argv],
      cwd: folder ?? task.cwd,
      ...(named.length > 0 && { env: Object.fromEntries(named) }),
      ...(stdin !== undefined && { stdin }),
    },
    // Git names branches and addresses: what it reads of the repository follows from that.
    named: policy.git === undefined ? filesIn(said, { workspace, base }) : [],
  };
}

/**
 * The same, and what says right before it runs that it still is: whoever is in the sandbox may put a link
 * in the place of a file while a person decides.
 */
export function callHere(
  call: BoxCall,
  place: CallPlace,
): { readonly request: Parameters<AskForTool>[0]; readonly starting: Starting } {
  const { request } = asHere(call, place);
  return {
    request,
    starting: () => {
      const now = asHere(call, place);
      if (now.request.cwd !== request.cwd) throw leadsElsewhere(call.cwd);
      return now.named;
    },
  };
}

/** It is not what was asked about any more. */
function leadsElsewhere(path: string): Error {
  return refuse(
    'policy-deny',
    `${path.slice(0, 200)} leads somewhere else than when it was asked about.`,
    'Ask again.',
  );
}

/** The folder of the sandbox on this machine; null where it is not in the workspace. */
export function realFolder(cwd: string, workspace: string): string | null {
  try {
    const real = realpathSync(cwd);
    return isBelow(real, workspace) ? real : null;
  } catch {
    return null;
  }
}

/** What a path of a call is held against. */
interface Held {
  readonly tool: string;
  readonly workspace: string;
  /** Where the tool runs; null for an empty folder of its own. */
  readonly base: string | null;
}

/**
 * A word that names a file has to name one of the workspace, in whatever spelling: the tool would read
 * or write another one with rights that the sandbox does not have, and a link in the workspace is the
 * sandbox's to make.
 */
function requireShared(word: string, held: Held): void {
  const path = pathsIn(word).find((one) => leaves(one, held));
  if (path === undefined) return;
  throw refuse(
    'policy-deny',
    `${path.slice(0, 200)} is not in the project, and ${held.tool} runs on this machine, where that is another file or none.`,
    `Put it below ${held.workspace}, or give it on standard input where the tool takes that.`,
  );
}

/** Behind these a path may begin within a word; of an address only that of a file is one. */
const beginning = /[=@,]|:(?!\/\/)|\bfileb?:\/\//gu;
const shortOptions = /^-[A-Za-z]{1,8}/u;

/** What a tool may take for a path in a word: all that may begin one, to the next mark and to the end. */
function pathsIn(word: string): readonly string[] {
  const [letters = ''] = shortOptions.exec(word) ?? [];
  const glued = Array.from(letters.slice(1), (_, at) => at + 2);
  const behind = [...word.matchAll(beginning)].map(({ index, 0: mark }) => index + mark.length);
  return [0, ...glued, ...behind].flatMap((at) => {
    const path = word.slice(at, at + longest);
    const end = path.search(/[,:]/u);
    return end < 0 ? [path] : [path.slice(0, end), path];
  });
}

/** Between the words of a shell's text, whatever it takes them for. */
const betweenWords = /[\s"'`;|&<>(){}$]+/u;

/**
 * Says right before a command of a named box starts outside that what it names is what it was when it
 * was asked about: the box may put a link in the place of a file while a person decides.
 */
export function sameWhenStarting(request: ExecRequest, workspace: string): Starting {
  const { argv, command = '', cwd, env = {} } = request;
  const words = [...(argv ?? command.split(betweenWords)), ...Object.values(env)];
  const paths = [cwd, ...pathsOf(words, cwd)];
  const before = paths.map(realPlace);
  return () => {
    const changed = paths.find((path, at) => {
      const [was, is] = [before[at] ?? null, realPlace(path)];
      return was === null ? is !== null && !isBelow(is, workspace) : is !== was;
    });
    if (changed !== undefined) throw leadsElsewhere(changed);
    return null;
  };
}

/** What of the workspace these words name, as it is now: real files and folders, each once. */
function filesIn(
  words: readonly string[],
  { workspace, base }: Omit<Held, 'tool'>,
): readonly NamedFile[] {
  const real = new Set(pathsOf(words, base).flatMap((path) => realPlace(path) ?? []));
  return [...real]
    .filter((path) => isBelow(path, workspace))
    .flatMap((path) => {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats === undefined ? [] : [{ path, device: stats.dev, inode: stats.ino }];
    });
}

function pathsOf(words: readonly string[], base: string | null): readonly string[] {
  return words.flatMap(pathsIn).flatMap((path) => {
    if (path === '' || path.includes('\0')) return [];
    if (path.startsWith('/')) return [path];
    return base === null ? [] : [`${base}/${path}`];
  });
}

const home = /^~[\w.-]*(?:\/|$)/u;
const upwards = /(?:^|\/)\.\.(?:\/|$)/u;
/** The kernel takes no longer path. A tool that shortens one by itself may get over that. */
const longest = 4_096;
const longestName = 255;

/** Whether this is a path to somewhere else. What begins like no folder of this machine is not a path. */
function leaves(path: string, { workspace, base }: Held): boolean {
  if (path.includes('\0')) return false;
  if (home.test(path)) return true;
  if (path.startsWith('/')) {
    const [, top = ''] = /^\/+([^/]*)/u.exec(path) ?? [];
    const isPath = top === '' || existsAt(`/${top}`);
    return isPath && !isBelow(realPlace(path) ?? '', workspace);
  }
  const goesUp = upwards.test(path);
  if (path.length === longest) return goesUp;
  if (base === null) return goesUp && /^\.\.(?:\/|$)/u.test(normalize(path));
  const [first = ''] = path.split('/', 1);
  if (!goesUp && (first.length > longestName || !existsAt(join(base, first)))) return false;
  const place = placeToBe(`${base}/${path}`);
  return place === null || !isBelow(place, workspace);
}

function existsAt(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Longer than a name can be.
    return false;
  }
}

/** Where a path leads as the kernel goes: behind a link `..` is the folder that the link leads to. */
function realPlace(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

/** The same where its last parts are still to be made; null for what leads nobody knows where. */
function placeToBe(path: string): string | null {
  const real = realPlace(path);
  if (real !== null) return real;
  const name = basename(path);
  if (name === '..' || existsAt(path)) return null;
  const above = placeToBe(dirname(path));
  return above === null ? null : join(above, name);
}

/**
 * Of the repositories in a sandbox the one of the workspace is out of its reach, where it was there
 * before the command; others the command could exchange for a way to somebody else's. A push of what
 * it does not have yet would leave that out.
 */
function requireOwnHistory(
  { argv: [, word], head }: BoxCall,
  {
    history,
    workspace,
    folder,
    stays,
  }: {
    readonly history: string | null;
    readonly workspace: string;
    readonly folder: string | null;
    readonly stays: boolean;
  },
): void {
  const outside = folder === null ? null : headOf(folder);
  if (word === 'clone')
    throw refuse(
      'policy-deny',
      'A repository that comes into the project while a sandbox runs there would be moved aside at its end.',
      stays
        ? 'Say which repository is needed: a person clones it.'
        : 'Clone in a command of its own: interlock run --host tools -- git clone …',
    );
  if (outside?.tree !== workspace || history === null || historyMark(workspace) !== history)
    throw refuse(
      'policy-deny',
      'Out of a sandbox only the repository of the project itself is given a credential.',
      `Call it in ${workspace}${stays ? '.' : ', or in a command of its own: interlock run --host tools -- git …'}`,
    );
  if (head === undefined || outside.head === null || outside.head === head) return;
  throw refuse(
    'invalid-request',
    `What ${stays ? 'is committed in this box' : 'this command has committed'} is taken over when it ends, and a push now would not have it.`,
    stays
      ? 'Say that it is ready: a person pushes it.'
      : 'Push in a command of its own, after this one.',
  );
}
