import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { hookProgramPath } from '../../../shared/adapters/hook-command.ts';
import { isHost } from '../../../shared/adapters/is-host.ts';
import { hosts } from '../../../shared/adapters/types.ts';
import type { AgentHost } from '../../../shared/adapters/types.ts';
import { toolsOf } from '../../../shared/agent-hooks/formats.ts';
import { toolGroups } from '../../../shared/agent-hooks/types.ts';
import type { ToolGroup } from '../../../shared/agent-hooks/types.ts';
import { askSeconds, limitsFor } from '../../../shared/node/agent-hooks/patience.ts';
import { homePaths } from '../../../shared/node/home/paths.ts';
import { CliError } from '../failure.ts';
import type { Io } from '../io.ts';
import type { Wanted } from './change.ts';

export interface InstallOptions {
  readonly agent?: string;
  readonly tools?: string;
}

/** A host by the name that a person typed. */
export function hostNamed(name: string): AgentHost {
  if (isHost(name)) return name;
  throw new CliError(`"${name}" is no agent host.`, `It is one of: ${hosts.join(', ')}.`);
}

/** What is to be installed for a host. */
export function wantedFor(host: AgentHost, options: InstallOptions, io: Io): Wanted {
  const { packageRoot } = io;
  const program = join(packageRoot, hookProgramPath);
  if (process.platform === 'win32')
    throw new CliError(
      'Hooks are for the shells of Linux and macOS.',
      'On Windows, let the agent use "interlock mcp".',
    );
  if (!existsSync(program))
    throw new CliError(`The hook program ${program} is missing.`, 'Build it first: npm run build');
  const paths = homePaths(io.env);
  const agent = options.agent ?? host;
  const { wait, host: seconds } = limitsFor(askSeconds(paths, agent));
  const home = paths.home === join(homedir(), '.interlock') ? null : paths.home;
  const command = { node: process.execPath, program, host, agent, home, wait };
  return { command, seconds, tools: toolsFor(host, options.tools), packageRoot };
}

function toolsFor(host: AgentHost, list: string | undefined): readonly ToolGroup[] {
  const offered = toolsOf(host);
  if (list === undefined) return offered;
  const named = list.split(',').map((name) => name.trim());
  const unknown = named.find((name) => !(toolGroups as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new CliError(`"${unknown}" is no kind of tool.`, `They are: ${toolGroups.join(', ')}.`);
  const missing = named.find((name) => !(offered as readonly string[]).includes(name));
  if (missing !== undefined)
    throw new CliError(
      `${host} tells its hooks nothing about "${missing}".`,
      `What it tells about: ${offered.join(', ')}.`,
    );
  return offered.filter((group) => named.includes(group));
}
