import type { PlaceEntry } from '../types.ts';

const hooks = 'holds the hooks that ask Interlock';
const agent = 'steers an agent: what it may do, and what runs without asking';
const tools = 'names programs that an agent starts as its tools';

/**
 * What steers agents: settings, hooks, plug-ins, commands, sub-agents and skills that run shell,
 * lists of MCP servers, in every scope that a host reads. Plain instructions (`AGENTS.md`,
 * `CLAUDE.md`, rules of Cursor) are words: what an agent does because of them passes the gate.
 */
export const agentPlaces: readonly PlaceEntry[] = [
  // Claude Code: `disableAllHooks` in any of these holds at once, in the running session.
  disarms('.claude/settings.json', '.claude/settings.local.json', '.claude/settings*.json'),
  disarms('.claude/hooks', '.claude/plugins', '.claude-plugin', '.claude.json'),
  disarms('/etc/claude-code', '/library/application support/claudecode'),
  disarms('/program files/claudecode'),
  {
    ...steers('.claude'),
    below: [
      'worktrees',
      'plans',
      'todos',
      'projects',
      'claude.md',
      'rules',
      'scheduled_tasks.lock',
    ],
  },
  {
    place: 'steers',
    reason: 'says what Interlock holds commands in this project to',
    at: ['.interlock.json'],
  },
  { place: 'steers', reason: tools, at: ['.mcp.json', '.config/mcp', 'managed-mcp.json'] },
  // Codex: hooks, their trust and the sandbox stand in these.
  disarms('.codex/hooks.json', '.codex/hooks', '.codex/config.toml', '.codex/*.config.toml'),
  disarms('/etc/codex'),
  {
    ...steers('.codex'),
    below: ['sessions', 'archived_sessions', 'log', 'worktrees', 'agents.md'],
  },
  { ...steers('.agents'), below: ['agents.md'] },
  // Gemini CLI: `hooksConfig.enabled: false` holds from the next session on.
  disarms('.gemini/settings.json', '.gemini/extensions', '.gemini/trustedfolders.json'),
  disarms('.gemini/hooks', '/etc/gemini-cli', '/library/application support/geminicli'),
  { ...steers('.gemini'), below: ['tmp', 'history', 'gemini.md'] },
  disarms(
    '.cursor/hooks.json',
    '.cursor/hooks',
    '/etc/cursor',
    '/library/application support/cursor',
  ),
  { ...steers('.cursor'), below: ['rules', 'plans', 'worktrees', 'projects'] },
  // OpenCode loads every plug-in of these folders, and a plug-in may swap a command after its approval.
  disarms('.opencode/plugin', '.opencode/plugins', '.config/opencode/plugin'),
  disarms('.config/opencode/plugins', 'opencode.json', 'opencode.jsonc', '/etc/opencode'),
  { ...steers('.opencode', '.config/opencode'), below: ['plans', 'agents.md'] },
  disarms('/library/application support/opencode'),
  // Copilot CLI: a trusted project's `disableAllHooks` turns the person's hooks off, and a project's
  // hook comes after ours. Claude Code's settings count there too; they stand above.
  disarms('.copilot/hooks', '.github/hooks', '.github/copilot', '/etc/github-copilot'),
  disarms('.copilot/settings.json', '.copilot/config.json'),
  { ...steers('.copilot'), below: ['session-state', 'logs', 'history-session-state'] },
  steers('.github/agents', '.github/skills', '.github/extensions'),
  // pi: extensions run in its process, and the lists in its settings load them or leave ours out.
  disarms('.pi/extensions', '.pi/agent/extensions', '.pi/settings.json', '.pi/agent/settings.json'),
  { ...steers('.pi'), below: ['agent/sessions', 'sessions'] },
  // Droid: a project's `hooksDisabled` turns all hooks off, and the command that its hook returns is run.
  disarms('.factory/hooks.json', '.factory/hooks', '.factory/settings*.json', '/etc/factory'),
  disarms('/library/application support/factory'),
  { ...steers('.factory'), below: ['sessions', 'specs'] },
  // Kilo: every plug-in may swap a command after its approval, whether a folder or a list names it.
  disarms('.kilo/plugin', '.kilo/plugins', '.kilocode/plugin', '.kilocode/plugins', '/etc/kilo'),
  disarms('kilo.json', 'kilo.jsonc', '.config/kilo'),
  { ...steers('.kilo', '.kilocode'), below: ['rules', 'worktrees'] },
  // Cline, Roo, Qwen Code: each runs hooks or extensions from its folder.
  disarms('.cline/hooks', '.clinerules/hooks'),
  steers('.cline', '.clinerules/workflows'),
  { ...steers('.roo'), below: ['rules'] },
  steers('.roomodes'),
  disarms('.qwen/settings.json', '.qwen/extensions', '.qwen/hooks', '/etc/qwen-code'),
  disarms('/library/application support/qwencode'),
  { ...steers('.qwen'), below: ['tmp', 'qwen.md'] },
  // Goose, Crush, Amp, Auggie, Kiro, Continue, Aider, Windsurf, Zed and others.
  disarms('.config/goose', '.goose', '.agents/plugins'),
  disarms('crush.json', '.crush.json', '.config/crush', '.crush/hooks'),
  { ...steers('.crush'), below: ['logs'] },
  disarms('.config/amp', '.amp/plugins', '.amp/settings*.json', '.amp'),
  disarms('.augment/settings*.json', '/etc/augment', '.augment/hooks'),
  { ...steers('.augment'), below: ['rules'] },
  disarms('.kiro/agents', '.kiro/hooks', '.kiro/settings', '.amazonq/cli-agents', '.aws/amazonq'),
  { ...steers('.kiro', '.amazonq'), below: ['specs', 'steering', 'rules'] },
  disarms('.continue/permissions.yaml', '.continue/settings*.json'),
  { ...steers('.continue'), below: ['rules', 'sessions', 'logs'] },
  steers('.continuerc.json', '.aider.conf.yml', '.aider.conf.yaml', '.aider.model.*'),
  { ...steers('.windsurf', '.codeium'), below: ['rules', 'plans'] },
  steers('.zed', '.config/zed', '.junie', '.trae', '.openhands', '.qodo', '.codebuddy', '.warp'),
  steers('.config/claude', '.claude-code-router', '.devin', '.rovodev', '.vibe', '.tabnine'),
  steers('/library/application support/zed', '~/library/application support/claude'),
];

function disarms(...at: readonly string[]): PlaceEntry {
  return { place: 'steers', reason: hooks, at, disarms: true };
}

function steers(...at: readonly string[]): PlaceEntry {
  return { place: 'steers', reason: agent, at };
}
