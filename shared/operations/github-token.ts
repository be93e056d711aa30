import { execFile } from 'node:child_process';
import { createSign } from 'node:crypto';
import { promisify } from 'node:util';
import { compile, messageOf, s } from '../base/index.ts';
import type { Clock } from '../base/index.ts';
import type { GithubApp } from '../engine/index.ts';
import { programOnPath } from '../home/index.ts';

/** Where a token for GitHub came from. */
export type GithubSource = 'app' | 'gh' | 'environment';

interface Found {
  readonly token: string;
  readonly source: GithubSource;
}

/** A token for GitHub, as it is now. */
interface GithubToken {
  /** The token of the last look; null where there is none. Looks first where nobody has yet. */
  get(): Promise<string | null>;
  /** What the last look found; null for nothing. */
  readonly known: () => Found | null;
  /** GitHub does not take it any more: the next look asks everybody anew. */
  invalidate(): void;
  dispose(): void;
}

export interface GithubOptions {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The App of the settings; null for none. May throw. */
  readonly app: () => GithubApp | null;
  /** A secret by its name. */
  readonly secret: (name: string) => Promise<string | null>;
  /** The token, or that there is one, is another now. */
  readonly changed: (token: string | null) => void;
  readonly log: { warn(line: string): void; info(line: string): void };
  /** What `gh auth token` says; null where it has none. Absent: the program is asked. */
  readonly askGh?: () => Promise<string | null>;
  /** Gets a token for an installation by its signed request. Absent: GitHub is asked. */
  readonly askApp?: (installationId: number, jwt: string) => Promise<string | null>;
}

const refreshMs = 30 * 60_000;
const ghMs = 60_000;
/** What was turned away is looked for again, and not more often than this. */
const anewMs = 10_000;

/**
 * The token by which requests to GitHub are signed in: of an installation of a GitHub App, else the
 * person's own of `gh`, else that of the runner's variables. Looked for again every half hour; one
 * warning while there is none.
 */
export function createGithubToken(options: GithubOptions): GithubToken {
  const { clock, env, changed, log } = options;
  const gh = createGhToken(options);
  let known: Found | null = null;
  let looking: Promise<Found | null> | null = null;
  let isWarned = false;
  let cancelNext = (): void => {};
  let anewAt = -Infinity;
  let isOver = false;

  const appToken = async (): Promise<string | null> => {
    const app = options.app();
    if (app === null) return null;
    const key = await options.secret(app.secret);
    if (key === null) throw new Error(`the secret "${app.secret}" of the GitHub App is not kept`);
    const jwt = jwtOf(app.appId, key, clock.now());
    return (options.askApp ?? askGithub)(app.installationId, jwt);
  };
  const find = async (): Promise<Found | null> => {
    const sources: readonly [GithubSource, () => Promise<string | null> | string | null][] = [
      ['app', appToken],
      ['gh', async () => gh.get()],
      ['environment', () => env['GH_TOKEN'] ?? env['GITHUB_TOKEN'] ?? null],
    ];
    const problems: string[] = [];
    for (const [source, ask] of sources) {
      try {
        const token = await ask();
        if (token !== null && isToken(token)) return { token, source };
      } catch (error) {
        problems.push(messageOf(error));
      }
    }
    if (!isWarned) {
      const why = problems.length === 0 ? '' : ` (${problems.join('; ')})`;
      log.warn(`There is no token for GitHub, so nobody is signed in there${why}.`);
    }
    isWarned = true;
    return null;
  };
  const look = async (): Promise<Found | null> => {
    looking ??= (async () => {
      const found = await find();
      looking = null;
      if (isOver) return null;
      if (found !== null && isWarned) {
        log.info('There is a token for GitHub again.');
        isWarned = false;
      }
      const isSame = found?.token === known?.token;
      known = found;
      cancelNext();
      cancelNext = clock.after(refreshMs, () => void look());
      if (!isSame) changed(found?.token ?? null);
      return found;
    })();
    return looking;
  };
  let first: Promise<Found | null> | null = null;
  return {
    get: async () => {
      first ??= look();
      await first;
      return known?.token ?? null;
    },
    known: () => known,
    invalidate: () => {
      if (clock.elapsed() - anewAt < anewMs) return;
      anewAt = clock.elapsed();
      gh.invalidate();
      void look();
    },
    dispose: () => {
      isOver = true;
      cancelNext();
    },
  };
}

/** As a header can hold it. */
function isToken(text: string): boolean {
  return /^[\x21-\x7e]{8,4096}$/u.test(text);
}

/** `gh auth token`, kept for a minute; calls at the same time share one. */
function createGhToken({ clock, env, askGh }: GithubOptions) {
  const ask = askGh ?? (async () => askProgram(env));
  let asked: { readonly value: Promise<string | null>; readonly at: number } | null = null;
  return {
    get: async (): Promise<string | null> => {
      if (asked === null || clock.elapsed() - asked.at >= ghMs)
        asked = { value: ask(), at: clock.elapsed() };
      return asked.value;
    },
    invalidate: (): void => {
      asked = null;
    },
  };
}

/** The person's own `gh`, with no token of the variables: those come later, and are no sign-in. */
async function askProgram(
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const program = programOnPath('gh', env['PATH'] ?? '');
  if (program === null) return null;
  const names = ['HOME', 'PATH', 'USER', 'XDG_CONFIG_HOME', 'GH_CONFIG_DIR'];
  const session = ['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR'];
  const given = [...names, ...session].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  try {
    const { stdout } = await promisify(execFile)(
      program,
      ['auth', 'token', '--hostname', 'github.com'],
      { env: Object.fromEntries(given), timeout: 10_000, maxBuffer: 64 * 1024, cwd: '/' },
    );
    return stdout.trim() === '' ? null : stdout.trim();
  } catch {
    // Not signed in, or not to be asked: what it says may hold more than is to be logged.
    return null;
  }
}

/** What GitHub takes for a minute as the word of an App. */
function jwtOf(appId: number, key: string, now: number): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const seconds = Math.floor(now / 1_000);
  const head = part({ alg: 'RS256', typ: 'JWT' });
  const text = `${head}.${part({ iat: seconds - 60, exp: seconds + 300, iss: String(appId) })}`;
  try {
    return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
  } catch {
    throw new Error('the private key of the GitHub App cannot be used');
  }
}

const checkAnswer = compile(s.open({ token: s.string({ minLength: 1, maxLength: 4_096 }) }));

async function askGithub(installationId: number, jwt: string): Promise<string | null> {
  const address = `https://api.github.com/app/installations/${String(installationId)}/access_tokens`;
  const answer = await fetch(address, {
    method: 'POST',
    redirect: 'error',
    signal: AbortSignal.timeout(15_000),
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${jwt}`,
      'user-agent': 'interlock',
      'x-github-api-version': '2022-11-28',
    },
  });
  if (answer.status !== 201) throw new Error(`GitHub answers the App with ${answer.status}`);
  const checked = checkAnswer(JSON.parse((await answer.text()).slice(0, 1 << 20)));
  return checked.ok ? checked.value.token : null;
}
