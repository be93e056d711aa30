import { rmSync } from 'node:fs';
import { rm, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, refuse } from '../../shared/base/index.ts';
import type { Execution, ToolPolicy } from '../../shared/engine/index.ts';
import { ensurePrivateDirectory, noSecretFor } from '../../shared/home/index.ts';
import type { Vault } from './vault.ts';
import type { Host, HostTask, RunIo, RunLimits } from '../hosts/host.ts';
import type { Log } from '../service/log.ts';
import { brokerHost } from './broker.ts';
import { gitEnvironment } from './git.ts';
import type { GitPlaces } from './git.ts';
import { fileAt, holdOfTool } from './hold.ts';
import { publishedAs, publishes, registryOf } from './npm.ts';

/** Characters of what npm says of a folder that it does not pack. */
const mostSaid = 600;

interface ToolsHostOptions {
  /** Where the programs run: this machine, in the name of the tools. */
  readonly local: Host;
  readonly vault: Pick<Vault, 'open'>;
  /** Whether the kernel can hold what runs here to files. */
  readonly canHold: () => boolean;
  /** Holds the folders of calls while they last. */
  readonly directory: string;
  /** The person's own folder. */
  readonly home: string;
  readonly uid: number;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Runs brokered tools on this machine, outside of any sandbox. Each gets its fixed variables, its
 * credentials and, where its policy says so, an empty folder. Nobody else sees what it is given.
 */
export function toolsHost(options: ToolsHostOptions): Host {
  const { local, vault, directory, uid, log, home } = options;
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
      if (opensOfBox(policy, task) && !options.canHold()) throw cannotBeHeld(policy.tool);
      ensurePrivateDirectory(directory, { uid });
      const folder = await mkdtemp(join(directory, `${policy.tool}-`));
      try {
        const git = await gitFor(policy, task, folder);
        const execution = await publishing(policy, { task, folder, limits, io }, options);
        const credentials = await credentialsOf(policy);
        await noteUse(policy);
        // An archive of our own has all that is published.
        const held = execution !== null && task.named !== undefined ? { ...task, named: [] } : task;
        const hold = holdOfTool(policy, { task: held, git, folder, home });
        return await local.run(
          {
            ...task,
            execution: execution ?? task.execution,
            cwd: policy.folder === 'private' ? folder : task.cwd,
            given: { TMPDIR: folder, ...policy.set, ...git?.variables, ...credentials },
            ...(hold !== null && { hold }),
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

/** Whether it opens files that a sandbox can exchange. Git is given what no sandbox reaches. */
function opensOfBox({ folder, git }: ToolPolicy, { named }: HostTask): boolean {
  if (named === undefined || git !== undefined) return false;
  return folder === 'caller' || named.length > 0;
}

function cannotBeHeld(tool: string): Error {
  return refuse(
    'host-unavailable',
    `Nothing on this machine can hold ${tool} to the files that a call out of a sandbox names, so nothing was run.`,
    'Give it on standard input where the tool takes that. Linux with Landlock (5.13 and newer) can hold it.',
  );
}

interface Running {
  readonly task: HostTask;
  /** The call's own. */
  readonly folder: string;
  readonly limits: RunLimits;
  readonly io: RunIo;
}

/** What npm is started as where it publishes; null for all other calls. */
async function publishing(
  policy: ToolPolicy,
  { task, folder, limits, io }: Running,
  { local, canHold, home }: ToolsHostOptions,
): Promise<Execution | null> {
  const { execution: program, cwd, named } = task;
  if (program.kind !== 'argv' || !publishes(policy.tool, program.argv)) return null;
  return publishedAs({
    program,
    cwd,
    ...(named !== undefined && { named }),
    folder,
    registry: registryOf(policy),
    pack: async (execution, source) => {
      if (!canHold()) throw cannotBeHeld(policy.tool);
      const packing = { ...task, execution, named: named ?? [fileAt(source)] };
      const hold = holdOfTool(policy, { task: packing, git: null, folder, home });
      const given = { TMPDIR: folder, ...policy.set };
      const held = hold !== null && { hold: { ...hold, network: false } };
      await packWith(local, { ...packing, cwd: folder, given, ...held }, { limits, io });
    },
  });
}

/** Runs npm to make an archive, and tells nobody of it but where it fails. */
async function packWith(
  local: Host,
  task: HostTask,
  { limits, io }: { readonly limits: RunLimits; readonly io: RunIo },
): Promise<void> {
  let said = '';
  const { ending, exitCode } = await local.run(task, limits, {
    stdin: null,
    signal: io.signal,
    started: () => undefined,
    output: (_stream, bytes) => {
      said = `${said}${Buffer.from(bytes).toString('utf8')}`.slice(-mostSaid);
    },
  });
  if (ending === 'exited' && exitCode === 0) return;
  throw refuse(
    ending === 'timed-out' ? 'command-timeout' : 'invalid-request',
    `npm has not packed it: ${said.trim().replaceAll(/\s*\n\s*/gu, '; ')}`,
    'Nothing was published.',
  );
}

/** How the tool is started where it is Git; null for others. */
async function gitFor(
  policy: ToolPolicy,
  { execution, cwd }: HostTask,
  folder: string,
): Promise<GitPlaces | null> {
  if (policy.git === undefined || execution.kind === 'missing') return null;
  if (execution.kind !== 'argv')
    throw refuse(
      'invalid-request',
      'Git is brokered as a program, not as shell text.',
      'Send "argv".',
    );
  const variable = policy.credentials[0]?.variable ?? '';
  return gitEnvironment({
    ...policy.git,
    variable,
    program: execution.file,
    words: execution.argv.slice(1),
    cwd,
    folder,
  });
}
