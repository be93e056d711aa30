import { existsSync, readFileSync } from 'node:fs';
import { hookCommand } from '../../../shared/adapters/hook-command.ts';
import type { HookCommand } from '../../../shared/adapters/hook-command.ts';
import type { AgentHost } from '../../../shared/adapters/types.ts';
import { hooksOf, restored, withHooks } from '../../../shared/agent-hooks/edit.ts';
import { hookFormats } from '../../../shared/agent-hooks/formats.ts';
import { UnfitText } from '../../../shared/agent-hooks/json-text.ts';
import { pluginText, readPlugin } from '../../../shared/agent-hooks/plugin.ts';
import type { ToolGroup } from '../../../shared/agent-hooks/types.ts';
import { pluginTemplate } from '../../../shared/node/agent-hooks/plugin-file.ts';
import { untouchable } from '../../../shared/node/agent-hooks/settings-file.ts';
import type { SettingsFile } from '../../../shared/node/agent-hooks/settings-file.ts';

/** What is to become of a file. */
export interface Change {
  readonly file: SettingsFile;
  /** Null: the file goes. */
  readonly after: string | null;
  /** What becomes of the copy of the file from before the hooks. */
  readonly copy: 'make' | 'keep' | 'drop';
}

export interface Wanted {
  readonly command: HookCommand;
  /** Whole seconds that the host waits for the hook. */
  readonly seconds: number;
  readonly tools: readonly ToolGroup[];
  /** Folder of the installed package, where the plugin is. */
  readonly packageRoot: string;
}

/** The copy of a file from before the hooks, beside it. */
export function copyOf(path: string): string {
  return `${path}.before-interlock`;
}

/** The file with the hooks as wanted. */
export function installing(file: SettingsFile, wanted: Wanted): Change {
  const { command, seconds, tools, packageRoot } = wanted;
  const { path, text } = file;
  if (command.host === 'opencode') {
    if (text !== null && readPlugin(text) === null)
      throw untouchable(path, 'is not a plugin of Interlock');
    return {
      file,
      after: pluginText(pluginTemplate(packageRoot), { command, tools }),
      copy: 'drop',
    };
  }
  const format = hookFormats[command.host];
  return editing(path, () => {
    const after = withHooks(text, { command: hookCommand(command), seconds, tools }, format);
    if (text === null) return { file, after, copy: 'drop' };
    return { file, after, copy: hooksOf(text, format).length === 0 ? 'make' : 'keep' };
  });
}

/** A change that takes hooks out. */
export interface Removal extends Change {
  /** In whose name the hook asked. */
  readonly agent: string;
}

/** The file as it was before, where nothing else has changed; null where no hook of ours is in it. */
export function uninstalling(file: SettingsFile, host: AgentHost): Removal | null {
  const { path, text } = file;
  if (text === null) return null;
  if (host === 'opencode') {
    const plan = readPlugin(text);
    return plan === null ? null : { file, after: null, copy: 'drop', agent: plan.command.agent };
  }
  const format = hookFormats[host];
  return editing(path, () => {
    const [first] = hooksOf(text, format);
    if (first === undefined) return null;
    const before = existsSync(copyOf(path)) ? readFileSync(copyOf(path), 'utf8') : null;
    const after = restored(text, before, format);
    const { agent } = first.command;
    return { file, after, copy: after === before ? 'drop' : 'keep', agent };
  });
}

function editing<T>(path: string, edit: () => T): T {
  try {
    return edit();
  } catch (error) {
    if (error instanceof UnfitText) throw untouchable(path, error.message);
    throw error;
  }
}
