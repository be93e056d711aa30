import { rmSync } from 'node:fs';
import { rm, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, refuse } from '../../shared/base/index.ts';
import type { ToolPolicy } from '../../shared/engine/index.ts';
import { ensurePrivateDirectory, noSecretFor } from '../../shared/home/index.ts';
import type { Vault } from './vault.ts';
import type { Host, HostTask } from '../hosts/host.ts';
import type { Log } from '../service/log.ts';
import { brokerHost } from './broker.ts';
import { gitEnvironment } from './git.ts';

export interface ToolsHostOptions {
  /** Where the programs run: this machine, in the name of the tools. */
  readonly local: Host;
  readonly vault: Pick<Vault, 'open'>;
  /** Holds the folders of calls while they last. */
  readonly directory: string;
  readonly uid: number;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Runs brokered tools on this machine, outside of any sandbox. Each gets its fixed variables, its
 * credentials and, where its policy says so, an empty folder. Nobody else sees what it is given.
 */
export function toolsHost({ local, vault, directory, uid, log }: ToolsHostOptions): Host {
  // What a runner left there that was killed: its calls are over.
  rmSync(directory, { recursive: true, force: true });
  const credentialsOf = async ({
    tool,
    credentials,
  }: ToolPolicy): Promise<Readonly<Record<string, string>>> => {
    const given: Record<string, string> = {};
    if (credentials.length === 0) return given;
    const secrets = await vault.open();
    for (const { secret, variable, optional } of credentials) {
      const value = await secrets.get(secret);
      if (value !== null) given[variable] = value.toString('utf8');
      else if (optional !== true) throw noSecretFor(tool, secret);
    }
    return given;
  };
  const noteUse = async ({ tool, credentials }: ToolPolicy): Promise<void> => {
    if (credentials.length === 0) return;
    const names = credentials.map(({ secret }) => secret);
    try {
      await (await vault.open()).used(names, tool);
    } catch (error) {
      log.warn(`When ${names.join(', ')} was used could not be written down: ${messageOf(error)}`);
    }
  };
  return {
    ...local,
    name: brokerHost,
    run: async (task, limits, io) => {
      const policy = task.tool;
      if (policy === undefined) throw new Error('a command without a policy came to the tools');
      ensurePrivateDirectory(directory, { uid });
      const folder = await mkdtemp(join(directory, `${policy.tool}-`));
      try {
        const fixed = await fixedFor(policy, task, folder);
        const credentials = await credentialsOf(policy);
        await noteUse(policy);
        return await local.run(
          {
            ...task,
            cwd: policy.folder === 'private' ? folder : task.cwd,
            given: { ...fixed, ...credentials },
          },
          limits,
          io,
        );
      } finally {
        await rm(folder, { recursive: true, force: true }).catch((error: unknown) => {
          log.warn(`The folder ${folder} of a tool is still there: ${messageOf(error)}`);
        });
      }
    },
  };
}

/** The variables of a tool that hold no secret. */
async function fixedFor(
  policy: ToolPolicy,
  task: HostTask,
  folder: string,
): Promise<Readonly<Record<string, string>>> {
  const fixed = policy.set ?? {};
  if (policy.git === undefined) return fixed;
  const { execution } = task;
  if (execution.kind === 'missing') return fixed;
  if (execution.kind !== 'argv')
    throw refuse(
      'invalid-request',
      'Git is brokered as a program, not as shell text.',
      'Send "argv".',
    );
  const variable = policy.credentials[0]?.variable ?? '';
  const git = await gitEnvironment({
    ...policy.git,
    variable,
    program: execution.file,
    words: execution.argv.slice(1),
    cwd: task.cwd,
    folder,
  });
  return { ...fixed, ...git };
}
