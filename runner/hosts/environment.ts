import { userInfo } from 'node:os';
import { runVariable } from '../../shared/home/index.ts';

/** Variables whose value comes from the person's session and that no program loads code from. */
const inherited = [
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'LC_MESSAGES',
  'TZ',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
  'SSH_AUTH_SOCK',
] as const;

/** Where programs are looked for when the runner itself has no usable PATH. */
const plainPath = '/usr/local/bin:/usr/bin:/bin';

/**
 * The variables that the runner sets for every command, from its own environment. Only names on a
 * short list pass: nothing that makes a loader, shell or interpreter run other code.
 */
export function baseEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const user = userInfo();
  const base: Record<string, string> = {
    HOME: user.homedir,
    USER: user.username,
    LOGNAME: user.username,
    SHELL: user.shell ?? '/bin/sh',
    PATH: absolutePathOnly(env['PATH']),
    TERM: 'dumb',
  };
  for (const name of inherited) {
    const value = env[name];
    if (value !== undefined && value !== '') base[name] = value;
  }
  return base;
}

/** The runner's PATH less its relative and empty entries, which would mean the command's cwd. */
export function absolutePathOnly(path: string | undefined): string {
  const kept = (path ?? '').split(':').filter((entry) => entry.startsWith('/'));
  return kept.length === 0 ? plainPath : kept.join(':');
}

/** What one command sees: the caller's variables over the base; `INTERLOCK_*` is the runner's. */
export function commandEnvironment(
  base: Readonly<Record<string, string>>,
  asked: Readonly<Record<string, string>>,
  id: string,
): Record<string, string> {
  const own = Object.entries(asked).filter(([name]) => !name.startsWith('INTERLOCK_'));
  return { ...base, ...Object.fromEntries(own), [runVariable]: id };
}
