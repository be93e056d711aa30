import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { clientPath } from '../../agents/index.ts';
import { messageOf } from '../../base/index.ts';
import { egressFor } from '../../engine/index.ts';
import type { Config, ToolPolicy } from '../../engine/index.ts';
import {
  openHome,
  programOnPath,
  readConfigFile,
  readPrivateFile,
  readToolPolicy,
  systemClock,
  toolsIn,
} from '../../home/index.ts';
import type { Home, NamedSecrets } from '../../home/index.ts';
import { createGithubToken } from '../github-token.ts';
import { secretsOfEgress } from '../named-secrets.ts';
import { danger, ok, warning } from './types.ts';
import type { HealthCheck } from './types.ts';

interface Where {
  readonly home: Home;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly packageRoot: string;
}

/** What stands between agents and tokens: secrets, brokered tools, the proxy and its authority, GitHub. */
export async function brokerChecks(options: Omit<Where, 'home'>): Promise<readonly HealthCheck[]> {
  const home = openHome(options.env);
  const where = { ...options, home };
  const { kept, found } = await lookAtSecrets(home);
  const file = readConfigFile(home.config, { uid: home.uid });
  const config = file.ok ? file.config : null;
  return [
    found,
    await lookAtTools(where, kept),
    ...(config === null ? [] : await lookAtNetwork(where, config, kept)),
  ];
}

/** Names of secrets; null where it cannot be said which there are. */
type Kept = ReadonlySet<string> | null;

async function lookAtSecrets(
  home: Home,
): Promise<{ readonly kept: Kept; readonly found: HealthCheck }> {
  let secrets: NamedSecrets;
  try {
    secrets = await home.openNamedSecrets();
    const names = secrets.list().map(({ name }) => name);
    const count =
      names.length === 0
        ? 'No secrets are kept'
        : `${names.length} ${names.length === 1 ? 'secret is' : 'secrets are'} kept`;
    return { kept: new Set(names), found: ok('secrets', count, secrets.sentence) };
  } catch (error) {
    const title = 'Which secrets are kept cannot be read, so no tool gets one';
    return { kept: null, found: danger('secrets', title, messageOf(error)) };
  }
}

async function lookAtTools({ home, env, packageRoot }: Where, kept: Kept): Promise<HealthCheck> {
  const tools = toolsIn(home.toolsDirectory);
  if (tools.length === 0)
    return ok('tools', 'No tool is brokered', 'A person adds one: interlock tool add gh');
  const problems: string[] = [];
  for (const tool of tools) {
    const file = await readToolPolicy(home.toolsDirectory, tool, home.uid);
    if (!file.ok) problems.push(file.problem.message);
    else problems.push(...problemsOf(file.policy, { env, kept }));
  }
  if (!existsSync(join(packageRoot, clientPath)))
    problems.push('The native client was not built, so none can be called in a sandbox.');
  const title = `Brokered tools: ${tools.join(', ')}`;
  return problems.length === 0
    ? ok('tools', title)
    : warning('tools', `${title}; not all of them work`, problems.join(' '));
}

function problemsOf(
  { tool, credentials }: ToolPolicy,
  { env, kept }: { readonly env: Where['env']; readonly kept: Kept },
): readonly string[] {
  const lacking = credentials.filter(
    ({ secret, optional }) => optional !== true && kept?.has(secret) === false,
  );
  return [
    ...(programOnPath(tool, env['PATH'] ?? '') === null ? [`There is no program ${tool}.`] : []),
    ...lacking.map(({ secret }) => `${tool} needs the secret "${secret}".`),
  ];
}

async function lookAtNetwork(
  where: Where,
  config: Config,
  kept: Kept,
): Promise<readonly HealthCheck[]> {
  const agents = Object.entries(config.agents);
  const isRestricted =
    config.sandbox.network === 'restricted' ||
    agents.some(([, { sandbox }]) => sandbox?.network === 'restricted');
  if (!isRestricted) return [];
  const all = [config.egress, ...agents.map(([agent]) => egressFor(config, agent))];
  const needed = new Set(all.flatMap(secretsOfEgress).map(({ name }) => name));
  const lacking = [...needed].filter((name) => kept?.has(name) === false);
  const proxy =
    lacking.length === 0
      ? ok('proxy', 'Sandboxes reach other machines through the proxy alone')
      : warning(
          'proxy',
          'The proxy lacks secrets, and passes on nothing that needs them',
          `Keep them: ${lacking.map((name) => `interlock secret set ${name}`).join(', ')}`,
        );
  const isOn = all.some(({ github }) => github === 'on');
  return [proxy, lookAtAuthority(where.home), ...(isOn ? [await lookAtGithub(where, config)] : [])];
}

/** The proxy's authority: ours alone, of its own signing, for servers, and not over. */
function lookAtAuthority({ egressAuthority: path, uid }: Home): HealthCheck {
  const id = 'authority';
  const file = readPrivateFile(path, { uid, maxBytes: 64 * 1024 });
  if (file.kind === 'missing')
    return ok(id, "The proxy's authority is made when it is first needed");
  const broken = (why: string): HealthCheck =>
    danger(id, "The proxy's authority cannot be used", `${path} ${why}.`);
  if (file.kind === 'unsafe') return broken(file.why);
  try {
    const certificate = new X509Certificate(file.text);
    if (!certificate.ca || !certificate.checkIssued(certificate))
      return broken('holds no authority that has signed itself');
    const until = new Date(certificate.validTo);
    if (until.getTime() < systemClock.now()) return broken('is past its time');
    const day = until.toISOString().slice(0, 10);
    return ok(id, `The proxy's authority is good until ${day}, and its key ours alone`);
  } catch {
    return broken('holds no certificate');
  }
}

const sources = {
  app: 'a GitHub App',
  gh: 'your own sign-in of gh: agents there can do all that you can',
  environment: 'GH_TOKEN or GITHUB_TOKEN',
} as const;

async function lookAtGithub(
  { home, env }: Where,
  { egress }: Pick<Config, 'egress'>,
): Promise<HealthCheck> {
  const problems: string[] = [];
  const note = (line: string): void => void problems.push(line);
  const token = createGithubToken({
    clock: systemClock,
    env,
    app: () => egress.githubApp,
    secret: async (name) => {
      const value = await (await home.openNamedSecrets()).get(name);
      return value === null ? null : value.toString('utf8');
    },
    changed: () => {},
    log: { warn: note, info: note },
  });
  try {
    await token.get();
    const source = token.known()?.source;
    if (source === undefined)
      return ok('github', 'Sandboxes are not signed in at GitHub', problems.join(' '));
    return ok('github', `Sandboxes are signed in at GitHub by ${sources[source]}`);
  } finally {
    token.dispose();
  }
}
