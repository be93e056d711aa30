import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { gatherAgents, hosts, isHost, titleOf } from '../../shared/agents/index.ts';
import type { AgentHost, HealthOptions } from '../../shared/agents/index.ts';
import { commandLineOf, commandOnPath, programOnPath } from '../../shared/home/index.ts';
import { refuse } from '../../shared/base/index.ts';
import type { RefusalError } from '../../shared/base/index.ts';
import type { CallHandlers } from './dispatch.ts';

/** What a call of the command line came to. */
export interface CommandOutcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface ConnectHandlersOptions extends HealthOptions {
  /** The person's own folder, where the command line runs; absolute. */
  readonly home: string;
  /** Everything is locked out, or it cannot be told. */
  readonly locked: () => boolean;
  /** Whether this runs in Electron. */
  readonly isElectron?: boolean;
  /** Runs `interlock` with these words. Default: really runs it; null where there is no Node to run it. */
  readonly command?: ((words: readonly string[]) => Promise<CommandOutcome>) | null;
}

/**
 * The handlers of the calls that put agents behind the gate, and of the one that starts a box. The
 * command line does it, so that page and terminal say and do the same.
 */
export function connectHandlers(
  options: ConnectHandlersOptions,
): Pick<CallHandlers, 'connectable' | 'connectPreview' | 'connect' | 'startBox'> {
  const command = options.command === undefined ? ourCommand(options) : options.command;
  const run = async (...words: readonly string[]): Promise<string> => {
    if (command === null) throw atTerminal(words);
    const { status, stdout, stderr } = await command(words);
    if (status === 0) return stdout;
    const said = stderr.replace(/^interlock: /, '').trim();
    throw refuse(
      'config-invalid',
      said === '' ? 'The command line did not say why.' : firstLine(said),
      `At a terminal: interlock ${words.join(' ')}`,
    );
  };
  const preview = async (host: AgentHost) => {
    const text = await run('install', host, '--dry-run');
    // The command line shows the diff, or says in a sentence that there is none.
    const diff = text.startsWith('Nothing would change') ? '' : text;
    return { diff, digest: createHash('sha256').update(text).digest('hex') };
  };
  return {
    connectable: () => {
      const connected = new Set(
        gatherAgents(options)
          .filter(({ hook, broken }) => hook !== null && broken.length === 0)
          .map(({ host }) => host),
      );
      return {
        possible: command !== null,
        hosts: hosts.map((host) => ({
          host,
          title: titleOf(host),
          connected: connected.has(host),
        })),
      };
    },
    connectPreview: ({ host }) => preview(known(host)),
    connect: async ({ host: named, digest }) => {
      const host = known(named);
      if (options.locked())
        throw refuse(
          'lockout-active',
          'No agent gets a key while everything is locked.',
          'Unlock first, and connect it then.',
        );
      if ((await preview(host)).digest !== digest)
        throw refuse(
          'binding-drift',
          'The settings of the agent are not what they were when the change was shown.',
          'Nothing was changed. Look at the change again.',
        );
      const said = await run('install', host);
      return { said: said.split('\n').filter((line) => line.trim() !== '') };
    },
    startBox: async ({ name }) => {
      await run('box', 'start', name);
      return {};
    },
  };
}

function known(name: string): AgentHost {
  if (isHost(name)) return name;
  throw refuse('invalid-request', 'There is no such agent.', 'Reload the page.');
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? text;
}

function atTerminal(words: readonly string[]): RefusalError {
  return refuse(
    'host-unavailable',
    'This app cannot run the command line.',
    `At a terminal: interlock ${words.join(' ')}`,
  );
}

const patienceMs = 60_000;
const mostOutput = 4 * 1024 * 1024;

/** What to start for the command line, and its first words; null where nothing here can run it. */
function commandLine({
  packageRoot,
  env,
  isElectron = process.versions['electron'] !== undefined,
}: ConnectHandlersOptions): readonly [string, ...string[]] | null {
  const program = commandLineOf(packageRoot);
  if (!isElectron) return [process.execPath, program];
  // Electron's own binary runs no scripts: its fuse for that is off. And Node cannot look into the
  // archive of a packed app.
  const node = programOnPath('node', env['PATH'] ?? '');
  const isPacked = packageRoot.split(/[/\\]/u).some((part) => part.endsWith('.asar'));
  if (node !== null && !isPacked && existsSync(program)) return [node, program];
  const installed = commandOnPath(env, packageRoot);
  return installed.kind === 'missing' ? null : [installed.file];
}

function ourCommand(
  options: ConnectHandlersOptions,
): NonNullable<ConnectHandlersOptions['command']> | null {
  const line = commandLine(options);
  if (line === null) return null;
  const [file, ...before] = line;
  const { env, home } = options;
  return (words) =>
    new Promise((resolve) => {
      const settings = { cwd: home, env: { ...env }, timeout: patienceMs, maxBuffer: mostOutput };
      execFile(file, [...before, ...words], settings, (error, stdout, stderr) => {
        resolve({ status: error === null ? 0 : 1, stdout, stderr });
      });
    });
}
