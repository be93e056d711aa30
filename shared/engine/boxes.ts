import { s } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import type { Config } from './config.ts';
import { sandbox as sandboxFields } from './config-fields.ts';
import type { SandboxConfig } from './config-fields.ts';
import { defaultEgress, egressFields } from './egress/config.ts';
import type { EgressConfig } from './egress/config.ts';

/** Named boxes: what `boxes.templates` of `config.json` may hold, and what it means for them. The templates that ship are the agents' (`shared/agents`). */

/** The name of a box: short enough for the name of its agent, `box-NAME`. */
export const boxNamePattern = '^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$';

const word = s.string({ minLength: 1, maxLength: 4_096, pattern: '^[^\\u0000]*$' });

/** What may build a box; `kernel` is our own launcher. */
export const boxRuntimes = ['kernel', 'systemd-nspawn', 'podman'] as const;
export type BoxRuntimeName = (typeof boxRuntimes)[number];

/** An agent's program, in a window of its own. */
const boxAgent = s.file({
  /** The window's name. */
  name: s.string({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$' }),
  /** Its program, by name or absolute path, and its arguments; started without a shell. */
  command: s.array(word, { minItems: 1, maxItems: 64 }),
  /** A secret of the store that it gets, and the variable that it comes in. */
  key: s.optional(
    s.file({
      secret: s.string({ pattern: '^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$' }),
      variable: s.string({ pattern: '^[A-Z][A-Z0-9_]{0,63}$' }),
    }),
  ),
});
export type BoxAgent = Static<typeof boxAgent>;

export const boxTemplateSchema = s.file({
  description: s.string({ minLength: 1, maxLength: 200 }),
  agents: s.array(boxAgent, { maxItems: 16 }),
  /** What builds its boxes; `kernel` where it is left out. */
  runtime: s.optional(s.oneOf(boxRuntimes)),
  /** Over `sandbox` for all. */
  sandbox: s.optional(s.file(s.partial(sandboxFields))),
  /** Over `egress` for all. */
  egress: s.optional(s.file(s.partial(egressFields))),
  /** What its agents are told of the box; `enabled` is true where it is left out. */
  skills: s.optional(
    s.file({
      enabled: s.optional(s.boolean()),
      /** Comes last, after what Interlock says itself. */
      text: s.optional(s.string({ minLength: 1, maxLength: 20_000 })),
    }),
  ),
});
export type BoxTemplate = Static<typeof boxTemplateSchema>;

export const boxesFields = {
  templates: s.record(boxTemplateSchema, {
    maxProperties: 100,
    names: s.string({ pattern: boxNamePattern }),
  }),
};

/** The agent that a box is, for policy, asks and records. */
export function agentOfBox(name: string): string {
  return `box-${name}`;
}

/** The box that an agent is; null for one that is none. */
export function boxOfAgent(agent: string): string | null {
  const name = agent.startsWith('box-') ? agent.slice('box-'.length) : '';
  return new RegExp(boxNamePattern).test(name) ? name : null;
}

/** What holds in boxes of a template: its own fields over those for all sandboxes. */
export function sandboxOfTemplate(
  config: Pick<Config, 'sandbox'>,
  { sandbox }: Pick<BoxTemplate, 'sandbox'>,
): SandboxConfig {
  return { ...config.sandbox, ...sandbox };
}

/**
 * The configuration with the boxes as agents of their own: what their templates say, under what
 * `agents.box-NAME` says.
 *
 * @param boxes by name, what each was made of, and its network of now
 */
export function withBoxes(
  config: Config,
  boxes: ReadonlyMap<
    string,
    { readonly template: BoxTemplate; readonly network: SandboxConfig['network'] }
  >,
): Config {
  if (boxes.size === 0) return config;
  const agents = [...boxes].map(([name, { template, network }]) => {
    const agent = agentOfBox(name);
    const own = Object.hasOwn(config.agents, agent) ? config.agents[agent] : undefined;
    const egress: Partial<EgressConfig> = { ...template.egress, ...own?.egress };
    return [
      agent,
      { ...own, sandbox: { ...template.sandbox, ...own?.sandbox, network }, egress },
    ] as const;
  });
  return { ...config, agents: { ...config.agents, ...Object.fromEntries(agents) } };
}

/** Why the templates of a configuration cannot be used, by the parts that a shape cannot say; null where they can. */
export function boxesProblem(
  config: Pick<Config, 'boxes'>,
  egressProblem: (egress: EgressConfig) => string | null,
): string | null {
  for (const [name, { agents, egress }] of Object.entries(config.boxes.templates)) {
    const names = agents.map((each) => each.name);
    const doubled = names.find((each, at) => names.indexOf(each) !== at);
    if (doubled !== undefined) return `boxes.templates.${name} has two agents named "${doubled}".`;
    const problem = egress === undefined ? null : egressProblem({ ...defaultEgress, ...egress });
    if (problem !== null) return `boxes.templates.${name}: ${problem}`;
  }
  return null;
}
