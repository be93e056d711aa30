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
 * discarded fields, and the agent `default`, which became `main`. Whatever is not recognised is left
 * as it is, for the schema to judge.
 */

type Fields = Readonly<Record<string, unknown>>;

export function modernise(document: Fields): Fields {
  const agents = document['agents'];
  if (!isFields(agents)) return document;
  const merged = mergeDefaultIntoMain(agents);
  const entries = Object.entries(merged).map(([name, agent]) => [name, modernAgent(name, agent)]);
  return { ...document, agents: Object.fromEntries(entries) as Fields };
}

function modernAgent(name: string, agent: unknown): unknown {
  if (!isFields(agent) || !Array.isArray(agent['allowlist'])) return agent;
  const seen = new Set<string>();
  const allowlist = agent['allowlist'].map((entry: unknown, index) => {
    const rule = modernRule(entry);
    if (!isFields(rule)) return rule;
    const id = typeof rule['id'] === 'string' && rule['id'] !== '' ? rule['id'] : undefined;
    if (rule['id'] !== undefined && rule['id'] !== '' && id === undefined) return rule;
    const free = id !== undefined && !seen.has(id) ? id : stableId([name, index, rule]);
    seen.add(free);
    return free === rule['id'] ? rule : { ...rule, id: free };
  });
  return { ...agent, allowlist };
}

function modernRule(entry: unknown): unknown {
  if (typeof entry === 'string') return { pattern: entry };
  if (!isFields(entry) || !('commandText' in entry)) return entry;
  const { commandText: _, ...rest } = entry;
  return rest;
}

/** `main` wins field by field; of two rules that say the same, the one of `main` stays. */
function mergeDefaultIntoMain(agents: Fields): Fields {
  if (!Object.hasOwn(agents, 'default')) return agents;
  const { default: legacy, ...others } = agents;
  const main = Object.hasOwn(agents, 'main') ? agents['main'] : undefined;
  if (!isFields(legacy) || (main !== undefined && !isFields(main))) return agents;
  const merged = { ...legacy, ...main, ...mergedRules(main?.['allowlist'], legacy['allowlist']) };
  return { ...others, main: merged };
}

function mergedRules(mainRules: unknown, legacyRules: unknown): Fields {
  const lists = [mainRules, legacyRules].filter((rules) => rules !== undefined);
  if (lists.length === 0) return {};
  // A list that is none is left for the schema to complain about.
  const broken = lists.find((rules) => !Array.isArray(rules));
  if (broken !== undefined) return { allowlist: broken };
  const byMeaning = new Map<string, unknown>();
  for (const rule of lists.flat()) {
    const key = meaningOf(rule);
    if (!byMeaning.has(key)) byMeaning.set(key, rule);
  }
  return { allowlist: [...byMeaning.values()] };
}

const fieldsOfMeaning = [
  'argPattern',
  'effect',
  'kind',
  'args',
  'writes',
  'sha256',
  'cwd',
  'host',
  'expiresAt',
  'maxRisk',
] as const;

function meaningOf(entry: unknown): string {
  const rule = modernRule(entry);
  if (!isFields(rule)) return JSON.stringify(rule) ?? '';
  const pattern =
    typeof rule['pattern'] === 'string' ? rule['pattern'].toLowerCase() : rule['pattern'];
  return JSON.stringify([pattern, ...fieldsOfMeaning.map((field) => rule[field] ?? null)]);
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
