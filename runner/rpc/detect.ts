import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** Whether this is the inside of a sandbox that shares a folder with a host, and by which sign. */
interface Detected {
  readonly inside: boolean;
  readonly why: string;
}

/** The signs, the surest first. */
const signs: readonly {
  readonly says: (env: Env) => boolean;
  readonly why: string;
}[] = [
  { says: (env) => env['SANDBOX_RUNTIME'] === '1', why: 'SANDBOX_RUNTIME is 1' },
  {
    says: (env) => /^[a-z]+-[a-z]+-[a-z]+$/u.test(env['LOGNAME'] ?? ''),
    why: 'LOGNAME has the form word-word-word',
  },
  {
    says: (env) => env['HOME']?.startsWith('/sessions/') === true,
    why: 'HOME is below /sessions/',
  },
  {
    says: (env) => (env['CLAUDE_CODE_HOST_HTTP_PROXY_PORT'] ?? '') !== '',
    why: 'CLAUDE_CODE_HOST_HTTP_PROXY_PORT is set',
  },
];

/** Where the key of the agent is delivered to. */
export function deliveredFolder(env: Env): string {
  return join(env['HOME'] ?? homedir(), '.interlock', 'rpc');
}

/**
 * Looks at the variables. Where a home of Interlock is set up, this is the host, whatever they say: an
 * unusual name of a user must not send its commands through a folder.
 */
export function detectSandbox(env: Env, exists: (path: string) => boolean = existsSync): Detected {
  const named = env['INTERLOCK_HOME'] ?? '';
  const home = isAbsolute(named) ? named : join(env['HOME'] ?? homedir(), '.interlock');
  const config = join(home, 'config.json');
  if (exists(config)) return { inside: false, why: `${config} is there: this is a host` };
  const sign = signs.find(({ says }) => says(env));
  return sign === undefined
    ? { inside: false, why: 'no variable says that this is a sandbox' }
    : { inside: true, why: sign.why };
}

/**
 * Whether the program asks through a folder here: in a sandbox to which a key was delivered. The
 * variables alone would do it for a person with an unusual name, before a first home is made.
 */
export function usesFolder(env: Env, exists: (path: string) => boolean = existsSync): boolean {
  return exists(deliveredFolder(env)) && detectSandbox(env, exists).inside;
}
