import { compile, refuse } from '../base/index.ts';
import type { Refusal } from '../base/index.ts';
import { defaultConfig, execHosts, logLevels } from './config.ts';
import type { Config } from './config.ts';

const nameSchema = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}$' } as const;
const agentName = { anyOf: [nameSchema, { const: '*' }] } as const;
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
const configSchema = {
  ...fields({
    version: { const: 1 },
    exec: fields({
      host: { enum: execHosts },
      node: orNull(nameSchema),
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
        node: nameSchema,
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

export type ParsedConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problem: Refusal };

/** Longest text that is looked at, in characters. */
export const maxConfigLength = 1024 * 1024;

/** What the file may say: any part of the whole. */
export type ConfigFile = { readonly version: 1 } & {
  readonly [K in Exclude<keyof Config, 'version'>]?: Config[K] extends readonly unknown[]
    ? Config[K]
    : Partial<Config[K]>;
};

const check = compile<ConfigFile>(configSchema);

/** Reads the text of `config.json` and fills in the defaults. Unknown fields are refused. */
export function parseConfig(text: string): ParsedConfig {
  if (text.length > maxConfigLength)
    return invalid(`It is longer than ${maxConfigLength} characters.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return invalid(`It is not valid JSON: ${(error as Error).message}.`);
  }
  const checked = check(value);
  if (!checked.ok) return invalid(checked.error);
  const config = completed(checked.value);
  if (config.exec.timeoutMs > config.exec.maxTimeoutMs) {
    return invalid('exec.timeoutMs is greater than exec.maxTimeoutMs.');
  }
  return { ok: true, config };
}

/** The file's settings over the defaults, section by section. */
export function completed(file: ConfigFile): Config {
  return {
    version: 1,
    exec: { ...defaultConfig.exec, ...file.exec },
    principals: { ...defaultConfig.principals, ...file.principals },
    limits: { ...defaultConfig.limits, ...file.limits },
    users: file.users ?? defaultConfig.users,
    agents: Object.fromEntries(
      Object.entries(file.agents ?? {}).map(([name, claim]) => [name, claim ?? {}]),
    ),
    approvals: { ...defaultConfig.approvals, ...file.approvals },
    audit: { ...defaultConfig.audit, ...file.audit },
    ui: { ...defaultConfig.ui, ...file.ui },
    lockout: { ...defaultConfig.lockout, ...file.lockout },
    openclaw: { ...defaultConfig.openclaw, ...file.openclaw },
    service: { ...defaultConfig.service, ...file.service },
  };
}

function invalid(why: string): ParsedConfig {
  const hint = 'Mend config.json, or move it away to use the defaults. Nothing runs until then.';
  return {
    ok: false,
    problem: refuse('config-invalid', `config.json is not valid: ${why}`, hint).refusal,
  };
}
