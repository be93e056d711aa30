import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { AgentHost } from '../../adapters/types.ts';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute folder of a project; null for the settings that hold for the person everywhere. */
  readonly project: string | null;
}

/** The file in which a host keeps its hooks, or that is our plugin. An absolute path. */
export function hookFile(host: AgentHost, { env, project }: Surroundings): string {
  return project === null
    ? join(personalFolder(host, env), personalNames[host])
    : join(project, projectNames[host]);
}

const personalNames: Readonly<Record<AgentHost, string>> = {
  claude: 'settings.json',
  codex: 'hooks.json',
  gemini: 'settings.json',
  cursor: 'hooks.json',
  opencode: 'plugins/interlock.js',
};

/** Claude Code: the file that is not shared, because the hook has paths of this machine in it. */
const projectNames: Readonly<Record<AgentHost, string>> = {
  claude: '.claude/settings.local.json',
  codex: '.codex/hooks.json',
  gemini: '.gemini/settings.json',
  cursor: '.cursor/hooks.json',
  opencode: '.opencode/plugins/interlock.js',
};

/** Where a host keeps what holds for the person; the variables are the hosts' own. */
export function personalFolder(host: AgentHost, env: Surroundings['env']): string {
  const home = env['HOME'] || homedir();
  const named = (name: string, folder: string): string => {
    const wanted = env[name];
    return wanted !== undefined && isAbsolute(wanted) ? wanted : join(home, folder);
  };
  if (host === 'claude') return named('CLAUDE_CONFIG_DIR', '.claude');
  if (host === 'codex') return named('CODEX_HOME', '.codex');
  if (host === 'opencode') return join(named('XDG_CONFIG_HOME', '.config'), 'opencode');
  return join(home, `.${host}`);
}
