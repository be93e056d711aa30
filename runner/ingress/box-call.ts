import { lstatSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { refuse } from '../../shared/base/index.ts';
import type { ToolPolicy } from '../../shared/engine/index.ts';
import type { BoxCall } from '../../shared/wire/index.ts';
import type { AskForTool, HostTask } from '../hosts/host.ts';
import { headOf } from '../tools/git.ts';

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

/** The call as it is outside: what only the sandbox has is not there. Throws a refusal. */
export function asHere(
  call: BoxCall,
  { task, policies, workspace, history, stays = false }: CallPlace,
): Parameters<AskForTool>[0] {
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
  if (folder === null && policy.folder === 'caller')
    throw refuse(
      'invalid-request',
      `${tool} runs on this machine, which has of this sandbox only the project, and not ${cwd}.`,
      `Call it in ${workspace}.`,
    );
  for (const word of words) requireShared(word, { tool, workspace });
  if (policy.git !== undefined) requireOwnHistory(call, { history, workspace, folder, stays });
  const named = Object.entries(env).filter(([name]) => policy.env?.includes(name) === true);
  return {
    argv: [...argv],
    cwd: folder ?? task.cwd,
    ...(named.length > 0 && { env: Object.fromEntries(named) }),
    ...(stdin !== undefined && { stdin }),
  };
}

/** The folder of the sandbox on this machine; null where it is not in the workspace. */
export function realFolder(cwd: string, workspace: string): string | null {
  try {
    const real = realpathSync(cwd);
    return isIn(real, workspace) ? real : null;
  } catch {
    return null;
  }
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/**
 * A word that is the path of a file has to be one of the workspace: the tool would read another one
 * with rights that the sandbox does not have. What begins like no folder of this machine is no path.
 */
function requireShared(
  word: string,
  { tool, workspace }: { readonly tool: string; readonly workspace: string },
): void {
  const [path] = /(?<=^|[=@]|\bfileb?:\/\/)\/[^\0]*/u.exec(word) ?? [];
  if (path === undefined) return;
  const [, top = ''] = /^\/+([^/]*)/u.exec(path) ?? [];
  if (top !== '' && lstatSync(`/${top}`, { throwIfNoEntry: false }) === undefined) return;
  if (isIn(realPlace(path), workspace)) return;
  throw refuse(
    'policy-deny',
    `${path.slice(0, 200)} is not in the project, and ${tool} runs on this machine, where that is another file or none.`,
    `Put it below ${workspace}, or give it on standard input where the tool takes that.`,
  );
}

/** Where a path leads, its last part perhaps not there. */
function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return '';
  }
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
