import type { BoxTemplate, Config } from '../engine/index.ts';
import { hostRecords } from './list.ts';
import type { AgentHost } from './list.ts';

/** What the agents that are known need in named boxes: the templates that ship, and where each is told of its box. */

/** Below home, for each agent: the file that it reads in every project. */
export const toldAtHomeIn: readonly string[] = Object.values(hostRecords).flatMap(({ inBox }) =>
  inBox === undefined ? [] : [inBox.told],
);

/** Agents side by side, with the hosts that they need. */
function agentsOf(...names: readonly AgentHost[]): Pick<BoxTemplate, 'agents' | 'egress'> {
  const all = names.map((name) => ({ name, record: hostRecords[name] }));
  return {
    agents: all.map(({ name, record }) => ({ name, command: [record.modelKey?.program ?? name] })),
    egress: { allow: all.flatMap(({ record }) => record.inBox?.hosts ?? []) },
  };
}

/** What is there without a word in `config.json`; a template of the same name there takes its place. */
export const shippedTemplates: Readonly<Record<string, BoxTemplate>> = {
  claude: {
    description: 'Claude Code, and the hosts it needs',
    ...agentsOf('claude'),
    sandbox: { network: 'restricted' },
  },
  multi: {
    description: 'Claude Code, Codex and Gemini side by side',
    ...agentsOf('claude', 'codex', 'gemini'),
    sandbox: { network: 'restricted', memory: '4G', processes: 1_024 },
  },
  isolated: {
    description: 'a shell without any network',
    agents: [],
    sandbox: { network: 'none' },
  },
};

/** The template of a name: that of the configuration before a shipped one; null for none. */
export function boxTemplate(config: Pick<Config, 'boxes'>, name: string): BoxTemplate | null {
  const all = boxTemplates(config);
  return Object.hasOwn(all, name) ? (all[name] ?? null) : null;
}

/** All templates by name. */
export function boxTemplates({
  boxes,
}: Pick<Config, 'boxes'>): Readonly<Record<string, BoxTemplate>> {
  return { ...shippedTemplates, ...boxes.templates };
}
