import { claudeHook } from './claude/hook.ts';
import { claudeHost } from './claude/host.ts';
import { codexHook } from './codex/hook.ts';
import { codexHost } from './codex/host.ts';
import { copilotHook } from './copilot/hook.ts';
import { copilotHost } from './copilot/host.ts';
import { cursorHook } from './cursor/hook.ts';
import { cursorHost } from './cursor/host.ts';
import { droidHook } from './droid/hook.ts';
import { droidHost } from './droid/host.ts';
import { geminiHook } from './gemini/hook.ts';
import { geminiHost } from './gemini/host.ts';
import { kiloHook } from './kilo/hook.ts';
import { kiloHost } from './kilo/host.ts';
import { opencodeHook } from './opencode/hook.ts';
import { opencodeHost } from './opencode/host.ts';
import { piHook } from './pi/hook.ts';
import { piHost } from './pi/host.ts';
import type { HostHook, HostRecord } from './host.ts';

/**
 * The agent hosts that Interlock can stand in front of, and the one place besides its folder to
 * which a new one is added. Two parts, because the hook program takes nothing but the first: what it
 * does not use is left out of its bundle. Which of its files steer an agent is for the engine to know,
 * which imports nothing from here (`places/list/agents.ts`).
 */
export const hostHooks = {
  claude: claudeHook,
  codex: codexHook,
  gemini: geminiHook,
  cursor: cursorHook,
  opencode: opencodeHook,
  copilot: copilotHook,
  pi: piHook,
  droid: droidHook,
  kilo: kiloHook,
} as const satisfies Readonly<Record<string, HostHook>>;

export type AgentHost = keyof typeof hostHooks;

export const hostRecords: Readonly<Record<AgentHost, HostRecord>> = {
  claude: claudeHost,
  codex: codexHost,
  gemini: geminiHost,
  cursor: cursorHost,
  opencode: opencodeHost,
  copilot: copilotHost,
  pi: piHost,
  droid: droidHost,
  kilo: kiloHost,
};
