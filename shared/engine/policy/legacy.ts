import type {
  AgentInFile,
  AgentPolicy,
  PolicyDocument,
  PolicyFile,
  Rule,
  RuleInFile,
} from './types.ts';

/**
 * An id that is the same each time the same content is read: rules of older files have none, and a
 * random one would change with every read. FNV-1a, 64 bits; not a security measure.
 */
function stableId(content: unknown): string {
  const text = JSON.stringify(content) ?? '';
  return `rule-${fnv(text, 0x811c9dc5)}${fnv(text, 0x01000193)}`;
}

function fnv(text: string, seed: number): string {
  let hash = seed;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/**
 * Brings the forms of older programs up to date: rules written as bare strings, rules without an id,
 * discarded fields, and the agent `default`, which became `main`.
 */
export function modernise({ agents, ...rest }: PolicyFile): PolicyDocument {
  if (agents === undefined) return rest;
  const entries = Object.entries(mergeDefaultIntoMain(agents));
  return {
    ...rest,
    agents: Object.fromEntries(entries.map(([name, agent]) => [name, modernAgent(name, agent)])),
  };
}

function modernAgent(name: string, { allowlist, ...rest }: AgentInFile): AgentPolicy {
  if (allowlist === undefined) return rest;
  const seen = new Set<string>();
  const rules = allowlist.map((entry, index): Rule => {
    const rule = modernRule(entry);
    const { id = '' } = rule;
    const free = id !== '' && !seen.has(id) ? id : stableId([name, index, rule]);
    seen.add(free);
    return { ...rule, id: free };
  });
  return { ...rest, allowlist: rules };
}

type Entry = NonNullable<AgentInFile['allowlist']>[number];

function modernRule(entry: Entry): Omit<RuleInFile, 'commandText'> {
  if (typeof entry === 'string') return { pattern: entry };
  const { commandText: _, ...rest } = entry;
  return { ...rest, ...wholeTimes(rest) };
}

const times = ['createdAt', 'expiresAt', 'lastUsedAt'] as const;

/** Some programs write moments with fractions of a millisecond; ours, and every frame, are whole. */
function wholeTimes(rule: RuleInFile): Partial<Pick<RuleInFile, (typeof times)[number]>> {
  return Object.fromEntries(
    times.flatMap((name) => {
      const time = rule[name];
      return typeof time === 'number' ? [[name, Math.floor(time)]] : [];
    }),
  );
}

/** `main` wins field by field; of two rules that say the same, the one of `main` stays. */
function mergeDefaultIntoMain(
  agents: Readonly<Record<string, AgentInFile>>,
): Readonly<Record<string, AgentInFile>> {
  const { default: legacy, ...others } = agents;
  if (legacy === undefined) return agents;
  const main = Object.hasOwn(agents, 'main') ? agents['main'] : undefined;
  const lists = [main?.allowlist, legacy.allowlist].filter((rules) => rules !== undefined);
  const merged = { ...legacy, ...main };
  return {
    ...others,
    main: lists.length === 0 ? merged : { ...merged, allowlist: once(lists.flat()) },
  };
}

function once(rules: readonly Entry[]): readonly Entry[] {
  const byMeaning = new Map<string, Entry>();
  for (const rule of rules) {
    const key = meaningOf(rule);
    if (!byMeaning.has(key)) byMeaning.set(key, rule);
  }
  return [...byMeaning.values()];
}

const fieldsOfMeaning = [
  'argPattern',
  'effect',
  'kind',
  'args',
  'env',
  'writes',
  'only',
  'sha256',
  'code',
  'scripts',
  'files',
  'cwd',
  'host',
  'expiresAt',
  'maxRisk',
  'presence',
  'approvers',
] as const;

function meaningOf(entry: Entry): string {
  const rule = modernRule(entry);
  return JSON.stringify([
    rule.pattern.toLowerCase(),
    ...fieldsOfMeaning.map((field) => rule[field] ?? null),
  ]);
}

export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
