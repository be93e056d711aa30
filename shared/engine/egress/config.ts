import { s } from '../../base/index.ts';
import type { Static, StaticFields } from '../../base/index.ts';

/** A rule of a list: `example.com`, `*.example.com:8443`, `10.0.0.0/8`, `[::1]:3000`. */
const hostRule = s.string({ minLength: 1, maxLength: 300 });

const port = s.integer({ minimum: 1, maximum: 65_535 });

/** The same with more to say. */
const allowRule = s.union(
  hostRule,
  s.file({
    host: hostRule,
    /** Absent: that of the host's text, else 80 and 443. */
    ports: s.optional(s.union(s.array(port, { minItems: 1, maxItems: 100 }), s.literal('*'))),
    /** Whether the name may lead to private addresses, and to this machine. */
    private: s.optional(s.boolean()),
  }),
);
export type AllowRule = Static<typeof allowRule>;

/** Names of headers that a rule may set: none by which messages are cut or routed. */
const headerName = s.string({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$" });

/** What a header is set to: words, with a secret where they say so. */
const headerValue = s.union(
  s.string({ pattern: '^[\\x20-\\x7e]*$', maxLength: 8_192 }),
  s.file({
    /** The name of a secret; it is read when a request goes out. */
    secret: s.string({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$' }),
    /** `Bearer ` and the like, before it. */
    prefix: s.optional(s.string({ pattern: '^[\\x20-\\x7e]*$', maxLength: 200 })),
    /** Sent as `Basic` with this user. */
    basicUser: s.optional(s.string({ pattern: '^[\\x20-\\x39\\x3b-\\x7e]*$', maxLength: 200 })),
  }),
);
export type HeaderValue = Static<typeof headerValue>;

/** What is done to the headers of requests to a domain. Later ones win. */
const transform = s.file({
  host: hostRule,
  set: s.optional(s.record(headerValue, { maxProperties: 50, names: headerName })),
  remove: s.optional(s.array(headerName, { maxItems: 50 })),
  /** Also for plain HTTP, where others on the way can read it. */
  plain: s.optional(s.boolean()),
});
export type TransformRule = Static<typeof transform>;

/** The name of a secret; it is read when a request goes out. */
const secretName = s.string({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$' });
const variable = s.string({ pattern: '^[A-Z_][A-Z0-9_]{0,127}$' });

/** An API whose key the proxy adds: agents have its address at the proxy, and no key. */
const service = s.file({
  /** Part of that address. */
  name: s.string({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$' }),
  /** `https://api.example.com`, with a path where the service has one. */
  base: s.string({ pattern: '^https://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~/-]*)?$' }),
  /** The header of the key, and what stands before it. */
  header: headerName,
  prefix: s.optional(s.string({ pattern: '^[\\x20-\\x7e]*$', maxLength: 200 })),
  secret: secretName,
  /** Variables that name the address at the proxy, and what is no key. */
  baseVariable: s.optional(variable),
  keyVariable: s.optional(variable),
  /** Requests of one sandbox: refill per minute, and the most that may come at once. */
  requestsPerMinute: s.optional(s.integer({ minimum: 1, maximum: 100_000 })),
  burst: s.optional(s.integer({ minimum: 1, maximum: 10_000 })),
});

/** A GitHub App that is installed for what agents may reach. */
const githubApp = s.file({
  appId: s.integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  installationId: s.integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  /** Its private key (PEM), by the name of a secret. */
  secret: secretName,
});
export type GithubApp = Static<typeof githubApp>;

export const egressPresets = ['trusted'] as const;
export type EgressPreset = (typeof egressPresets)[number];

/** What commands reach where `sandbox.network` is `restricted`; `docs/network.md` explains it. */
export const egressFields = {
  /** Lists of ours that are allowed. */
  presets: s.array(s.oneOf(egressPresets), { maxItems: egressPresets.length }),
  allow: s.array(allowRule, { maxItems: 1_000 }),
  /** Wins over all that is allowed; any port where it names none. */
  deny: s.array(hostRule, { maxItems: 1_000 }),
  /** What becomes of a host that no list names. */
  unknown: s.oneOf(['deny', 'ask']),
  transforms: s.array(transform, { maxItems: 200 }),
  services: s.array(service, { maxItems: 50 }),
  /** Whether requests to GitHub are signed in with the person's token, which agents never have. */
  github: s.oneOf(['on', 'off']),
  githubApp: s.nullable(githubApp),
  /** Tunnels and requests of one agent: refill per minute, and the most that may come at once. */
  requestsPerMinute: s.integer({ minimum: 1, maximum: 1_000_000 }),
  burst: s.integer({ minimum: 1, maximum: 100_000 }),
  /** Connections of one agent at once. */
  connections: s.integer({ minimum: 1, maximum: 20_000 }),
};
export type EgressConfig = StaticFields<typeof egressFields>;

/** What holds for an agent: its own fields over those for all. */
export function egressFor(
  config: {
    readonly egress: EgressConfig;
    readonly agents: Readonly<Record<string, { readonly egress?: Partial<EgressConfig> }>>;
  },
  agent: string,
): EgressConfig {
  const own = Object.hasOwn(config.agents, agent) ? config.agents[agent]?.egress : undefined;
  return { ...config.egress, ...own };
}

export const defaultEgress: EgressConfig = {
  presets: ['trusted'],
  allow: [],
  deny: [],
  unknown: 'ask',
  transforms: [],
  services: [],
  github: 'on',
  githubApp: null,
  requestsPerMinute: 6_000,
  burst: 3_000,
  connections: 2_000,
};
