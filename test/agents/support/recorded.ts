import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AgentHost } from '../../../shared/agents/list.ts';

export type Fields = Readonly<Record<string, unknown>>;

const folder = fileURLToPath(new URL('../../fixtures/adapters/', import.meta.url));
const names: Readonly<Record<AgentHost, string>> = {
  claude: 'bash',
  codex: 'bash',
  gemini: 'shell',
  cursor: 'shell',
  opencode: 'bash',
  copilot: 'bash',
  pi: 'bash',
  droid: 'execute',
  kilo: 'bash',
};

/** What a host was recorded to tell its hook about a command. */
export function recordedInput(host: AgentHost): Fields {
  const file = readFileSync(`${folder}${host}/${names[host]}.json`, 'utf8');
  return (JSON.parse(file) as { readonly stdin: Fields }).stdin;
}
