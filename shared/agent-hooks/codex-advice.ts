import type { CodexConfig } from './codex-config.ts';

/** What Codex' own settings take away from the gate, as sentences. Null: they cannot be read. */
export function codexObjections(config: CodexConfig | null): readonly string[] {
  if (config === null)
    return ['Its config.toml cannot be read, so it is not known what it allows.'];
  const { hooks, approvalPolicy, sandboxMode, connects } = config;
  return [
    ...(hooks ? [] : ['Hooks are turned off in its config.toml ([features] hooks = false).']),
    ...(approvalPolicy === 'never'
      ? [
          'It asks nothing itself (approval_policy = "never"): where a hook fails, nothing else asks.',
        ]
      : []),
    ...(sandboxMode === 'danger-full-access'
      ? ['It has no sandbox (danger-full-access): where a hook fails, nothing else holds it.']
      : []),
    ...(connects
      ? []
      : [
          'In its sandbox a command cannot reach the runner, so what is allowed fails instead of running. ' +
            'Set sandbox_mode = "workspace-write", and network_access = true below [sandbox_workspace_write].',
        ]),
  ];
}
