import { execHosts, logLevels } from './types.ts';

const name = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}$' } as const;
const agentName = { anyOf: [name, { const: '*' }] } as const;
const path = { type: 'string', pattern: '^(?:/|~/)[^\\u0000]*$', maxLength: 4096 } as const;
const uid = { type: 'integer', minimum: 0, maximum: 4_294_967_294 } as const;

function milliseconds(minimum: number, maximum: number) {
  return { type: 'integer', minimum, maximum } as const;
}

function count(minimum: number, maximum: number) {
  return { type: 'integer', minimum, maximum } as const;
}

function orNull<T extends object>(schema: T) {
  return { anyOf: [{ type: 'null' }, schema] } as const;
}

function fields<T extends object>(properties: T) {
  return { type: 'object', additionalProperties: false, properties } as const;
}

const sharedSocket = {
  ...fields({
    path: { type: 'string', pattern: '^/[^\\u0000]*$', maxLength: 103 },
    gid: uid,
  }),
  required: ['path', 'gid'],
} as const;

const programLimit = {
  ...fields({
    pattern: { type: 'string', minLength: 1, maxLength: 1_000 },
    perMinute: count(1, 100_000),
    burst: count(1, 10_000),
  }),
  required: ['pattern', 'perMinute', 'burst'],
} as const;

const day = 86_400_000;

/** The JSON schema of `config.json`. Everything but the version may be left out; unknown fields are refused. */
export const configSchema = {
  ...fields({
    version: { const: 1 },
    exec: fields({
      host: { enum: execHosts },
      node: orNull(name),
      timeoutMs: milliseconds(1_000, day),
      maxTimeoutMs: milliseconds(1_000, day),
      killGraceMs: milliseconds(0, 60_000),
      outputCap: count(1_000, 10_000_000),
      eventTail: count(100, 1_000_000),
      trustedDirectories: orNull({ type: 'array', maxItems: 100, items: path }),
      workspaces: { type: 'array', maxItems: 1_000, items: path },
    }),
    principals: fields({ trustClaims: { type: 'boolean' } }),
    limits: fields({
      requestsPerMinute: count(1, 100_000),
      burst: count(1, 10_000),
      requestsPerMinuteInAll: count(1, 100_000),
      burstInAll: count(1, 10_000),
      concurrentPerAgent: count(1, 1_000),
      concurrent: count(1, 10_000),
      pendingPerAgent: count(1, 10_000),
      pending: count(1, 10_000),
      asksPerMinute: count(1, 10_000),
      askBurst: count(1, 1_000),
      programs: { type: 'array', maxItems: 100, items: programLimit },
    }),
    users: {
      type: 'array',
      maxItems: 1_000,
      items: {
        ...fields({ uid, agents: { type: 'array', maxItems: 1_000, items: agentName } }),
        required: ['uid', 'agents'],
      },
    },
    agents: {
      type: 'object',
      maxProperties: 1_000,
      propertyNames: agentName,
      additionalProperties: fields({
        uids: { type: 'array', maxItems: 1_000, items: uid },
        host: { enum: execHosts },
        node: name,
      }),
    },
    approvals: fields({
      v1: { type: 'boolean' },
      askTimeoutMs: milliseconds(1_000, day),
      connectTimeoutMs: milliseconds(50, 60_000),
    }),
    audit: fields({ commandCap: count(100, 100_000) }),
    ui: fields({
      shell: { enum: ['auto', 'electron', 'console', 'terminal'] },
      armDelayMs: milliseconds(0, 10_000),
      holdMs: milliseconds(500, 10_000),
      consolePort: count(0, 65_535),
      consoleIdleMs: milliseconds(10_000, day),
      openBrowser: { type: 'boolean' },
      notifications: { type: 'boolean' },
    }),
    lockout: fields({
      onScreenLock: { type: 'boolean' },
      onSleep: { type: 'boolean' },
      hotkey: orNull({ type: 'string', minLength: 1, maxLength: 64 }),
      pauseAfterIdleMs: orNull(milliseconds(10_000, 30 * day)),
      pauseAfterRefusals: orNull(count(2, 10_000)),
    }),
    openclaw: fields({
      url: { type: 'string', pattern: '^wss?://[^\\u0000\\s]+$', maxLength: 2_048 },
      tokenFile: orNull({ type: 'string', pattern: '^/[^\\u0000]*$', maxLength: 4_096 }),
    }),
    service: fields({
      logLevel: { enum: logLevels },
      sharedSocket: orNull(sharedSocket),
    }),
  }),
  required: ['version'],
} as const;
