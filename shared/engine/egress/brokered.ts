import { parseAuthority, targetText } from './target.ts';
import type { Target } from './target.ts';
import type { EgressConfig, TransformRule } from './config.ts';

/** Stands in a sandbox where a token would: programs want one to be there before they try. */
const sentinel = 'x-interlock-brokered';

/** The name of the token for GitHub, which no secret of a person can have. */
export const githubSecret = '@github';

/** By which programs find tokens for GitHub, and which are taken from whoever has brokered ones. */
export const githubVariables = ['GITHUB_TOKEN', 'GH_TOKEN', 'GH_ENTERPRISE_TOKEN'] as const;

/** How requests to GitHub are signed in, over whatever a client or another rule says. */
export const githubTransforms: readonly TransformRule[] = [
  {
    host: 'api.github.com',
    set: { authorization: { secret: githubSecret, prefix: 'Bearer ' } },
  },
  {
    host: 'github.com',
    set: { authorization: { secret: githubSecret, basicUser: 'x-access-token' } },
  },
];

/** Answers Git with the sentinel, so that it asks nobody; the proxy replaces it. No file is written. */
const helper =
  '!f() { test "$1" = get && printf "username=x-access-token\\npassword=' + sentinel + '\\n"; }; f';

/** What programs in a sandbox are told where requests to GitHub are signed in for them. */
export function githubEnvironment(): Readonly<Record<string, string>> {
  const settings = [
    // An empty one forgets helpers that the person has set up, which are not there.
    ['credential.https://github.com.helper', ''],
    ['credential.https://github.com.helper', helper],
  ] as const;
  return {
    GH_TOKEN: sentinel,
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${String(at)}`, key],
        [`GIT_CONFIG_VALUE_${String(at)}`, value],
      ]),
    ),
  };
}

/** The base address of a service as a sandbox sees it. */
function serviceAddress(port: number, name: string): string {
  return `http://127.0.0.1:${String(port)}/~/${name}`;
}

/** The name and the rest of a path that is for a service; null for any other. */
export function servicePath(url: string): { readonly name: string; readonly path: string } | null {
  const { name, path } =
    /^\/~\/(?<name>[a-z0-9-]{1,40})(?<path>(?:[/?].*)?)$/u.exec(url)?.groups ?? {};
  return name === undefined ? null : { name, path: path ?? '' };
}

type Service = EgressConfig['services'][number];

/** What programs in a sandbox are told about services. */
export function serviceEnvironment(
  services: readonly Service[],
  port: number,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    services.flatMap(({ name, baseVariable, keyVariable }) => [
      ...(baseVariable === undefined ? [] : [[baseVariable, serviceAddress(port, name)] as const]),
      ...(keyVariable === undefined ? [] : [[keyVariable, sentinel] as const]),
    ]),
  );
}

/** Where requests for a service go. */
export interface ServiceTarget {
  readonly name: string;
  readonly target: Target;
  /** Stands before the path of a request; no slash at its end. */
  readonly path: string;
  /** Of one sandbox. */
  readonly requestsPerMinute: number;
  readonly burst: number;
}

/** What else a client may sign in by. */
const signIns = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'cookie'];

/**
 * A service, and what is done to the headers of requests to it: its key, and nothing else that signs
 * in. `problem` is a sentence.
 */
export function readService({
  name,
  base,
  header,
  prefix,
  secret,
  requestsPerMinute = 600,
  burst = 100,
}: Service):
  | { readonly ok: true; readonly service: ServiceTarget; readonly rule: TransformRule }
  | { readonly ok: false; readonly problem: string } {
  const [, authority = '', path = ''] = /^https:\/\/([^/]+)(.*)$/u.exec(base) ?? [];
  const parsed = parseAuthority(authority, 443);
  if (!parsed.ok) return parsed;
  const { target } = parsed;
  const value = prefix === undefined ? { secret } : { secret, prefix };
  return {
    ok: true,
    service: { name, target, path: path.replace(/\/+$/u, ''), requestsPerMinute, burst },
    rule: {
      host: targetText(target),
      remove: signIns.filter((one) => one !== header.toLowerCase()),
      set: { [header]: value },
    },
  };
}

/**
 * A file of variables (`.env`) whose tokens for GitHub are the sentinel; null where it has none. Empty
 * where it cannot be told where such a token ends.
 */
export function withoutTokens(text: string): string | null {
  const names = githubVariables.join('|');
  const line = new RegExp(`^([ \\t]*(?:export[ \\t]+)?(?:${names})[ \\t]*[=:])(.*)$`, 'gmu');
  let isOpen = false;
  let isFound = false;
  const without = text.replaceAll(line, (_all, head: string, value: string) => {
    isFound = true;
    const [quote = ''] = /^[ \t]*(["'`])/u.exec(value)?.slice(1) ?? [];
    const rest = value.slice(value.indexOf(quote) + 1);
    if ((quote !== '' && !rest.includes(quote)) || /\\\r?$/u.test(value)) isOpen = true;
    return `${head}${sentinel}`;
  });
  if (!isFound) return null;
  return isOpen ? '' : without;
}
