/** One folder an agent host: what its hooks say, how they are installed, and what its settings import as. */

export { fetching, serverTool, unifiedDiff, writing } from './call.ts';
export { boxTemplate, boxTemplates, shippedTemplates, toldAtHomeIn } from './boxes.ts';
export { disarmedSince, lookAtArming } from './arming.ts';
export type { Arming, ArmingSubject } from './arming.ts';
export type { ManagedSettings, ManagedText, ModelKey } from './host.ts';
export {
  UnfitText,
  hooksOf,
  parseObject,
  restored,
  withFields,
  withHooks,
} from './edit-settings.ts';
export { askSeconds, askedTwice, gatherAgents, limitsFor, whoRuns } from './health.ts';
export type { AgentFacts, HealthOptions, HookFacts } from './health.ts';
export {
  clientPath,
  findHooks,
  hookCommand,
  hookPlan,
  hookOptions,
  hookProgramPath,
} from './hook-command.ts';
export type { HookCommand, HookOptions } from './hook-command.ts';
export { toolGroups } from './hook-entries.ts';
export type { ToolGroup } from './hook-entries.ts';
export { changesOf, previewOf, readRules, ruleFiles } from './import.ts';
export type { AgentHost } from './list.ts';
export { pluginTemplate, pluginText, readPlugin } from './plugin.ts';
export {
  adapterOf,
  alternatives,
  failClosed,
  hookFormatOf,
  hosts,
  isHost,
  recordOf,
  runsWithoutShell,
  titleOf,
  toolsOf,
} from './registry.ts';
export { hookFile, hookPlaces, readSettings, untouchable } from './settings-file.ts';
export type { SettingsFile } from './settings-file.ts';
export { fieldOf } from './words.ts';
