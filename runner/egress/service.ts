import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import {
  addressText,
  compileEgress,
  egressFor,
  githubEnvironment,
  githubSecret,
  githubTransforms,
  githubVariables,
  judgeTarget,
  parseAddress,
  serviceEnvironment,
  targetText,
} from '../../shared/engine/index.ts';
import type { Config, Rule } from '../../shared/engine/index.ts';
import { ensurePrivateDirectory } from '../../shared/home/index.ts';
import type { FolderTrees } from '../../shared/home/index.ts';
import { knowSecrets, withoutKnown } from '../audit/known-secrets.ts';
import type { AuditLog, DecisionRow } from '../audit/rows.ts';
import type { HostTask } from '../hosts/host.ts';
import type { BoxNetwork } from '../hosts/sandbox/launch.ts';
import type { Log } from '../service/log.ts';
import { createHostQuestions } from './ask.ts';
import type { AskAboutHostsOptions } from './ask.ts';
import { maskEnvFiles } from './env-files.ts';
import { createGithubToken } from '../../shared/operations/index.ts';
import type { GithubOptions, GithubSource } from '../../shared/operations/index.ts';
import type { Authority, EgressPorts, EgressRecord, EgressSettings, WayRow, Who } from './ports.ts';
import { createEgressProxy } from './proxy.ts';
import { secretsOf } from './secrets.ts';
import type { SecretsOptions } from './secrets.ts';
import { bundleOf, bundlePath, hostRoots, proxyVariables, trustVariables } from './trust.ts';

/** Where the proxy is found in a box, and whom its clients are to trust. */
const port = 3128;

export interface EgressOptions
  extends Omit<AskAboutHostsOptions, 'config' | 'policyVerdict'>, SecretsOptions {
  readonly clock: Clock;
  readonly uid: number;
  readonly config: () => Config;
  /** The rules of the policy for an agent; the same array while they are the same. */
  readonly rules: (agent: string) => readonly Rule[];
  /** A rule has decided about a host. */
  readonly used: (ruleId: string, what: string) => void;
  /** Throws while nothing may start for an agent. */
  readonly admit: (agent: string) => void;
  readonly audit: Pick<AuditLog, 'durable' | 'append'>;
  readonly log: Log;
  /** File of the proxy's authority. */
  readonly authority: string;
  /** The runner's own variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The workspace of a command. Throws a refusal where it has none. */
  readonly workspaceOf: (task: HostTask) => string;
  readonly trees: FolderTrees;
  /** A folder of ours, for copies of files while a sandbox has them. */
  readonly masked: string;
  /** Stand in for those who are asked for a token for GitHub, and for the network; for tests. */
  readonly github?: Pick<GithubOptions, 'askGh' | 'askApp'>;
  readonly world?: Pick<EgressPorts, 'resolve' | 'dial' | 'roots'>;
}

export interface Egress {
  /** The way out for the box of a command. Rejects with a refusal where there can be none. */
  open(task: HostTask): Promise<BoxNetwork>;
  /** The settings, a lock or a grant may have changed. */
  recheck(): void;
  /** Where the token for GitHub is from; null where there is none, or nobody has looked yet. */
  github(): GithubSource | null;
  dispose(): void;
}

/** The proxy of this runner. One listener a box, so that each connection is known to be that box's. */
export function createEgress(options: EgressOptions): Egress {
  const { clock, config, log } = options;
  const secret = secretsOf(options);
  const github = createGithubToken({
    ...options,
    ...options.github,
    app: () => config().egress.githubApp,
    secret: async (name) => secret(name, 'the GitHub App'),
    changed: (token) => {
      if (token !== null) tokens.unshift(Buffer.from(token));
      // One that was in use a moment ago may still stand in what is written.
      tokens.splice(mostTokens);
      knowSecrets(tokens, 'github');
      proxy.recheck();
    },
  });
  const tokens: Buffer[] = [];
  const settings = remembered(options, () => github.known() !== null);
  const questions = createHostQuestions({
    ...options,
    policyVerdict: (agent, target) => judgeTarget(settings(agent).policy, target).verdict,
  });
  rmSync(options.masked, { recursive: true, force: true });
  let authority: Promise<Authority> | null = null;
  const openedAuthority = async (): Promise<Authority> => {
    authority ??= openAuthorityAt(options).catch((error: unknown) => {
      authority = null;
      throw error;
    });
    return authority;
  };
  let roots: readonly string[] | null = null;
  const trusted = (): readonly string[] =>
    (roots ??= hostRoots({ extra: options.env['NODE_EXTRA_CA_CERTS'] }));
  const proxy = createEgressProxy({
    clock,
    newId: options.newId,
    admit: options.admit,
    settings,
    resolve: async (name) =>
      (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address),
    ownAddresses,
    dial: (address, to, read) =>
      connect({
        ...read,
        host: addressText(address),
        port: to,
        allowHalfOpen: true,
        autoSelectFamily: false,
        keepAlive: true,
      }),
    secret: async (name, { agent }) =>
      name === githubSecret ? github.get() : secret(name, `the network of ${agent}`),
    turnedAway: ({ host }) => {
      if (/^(?:api\.)?github\.com$/u.test(host)) github.invalidate();
    },
    ask: async (who, target, gone) => questions.ask(who, target, gone),
    authority: openedAuthority,
    roots: trusted,
    record: recordIn(options),
    log,
    ...options.world,
  });
  return {
    open: async (task) => {
      // It may be there by the time that the settings are looked at.
      if (egressFor(config(), task.agent).github === 'on') await github.get();
      const bundle = async (): Promise<string> =>
        bundleOf((await openedAuthority()).certificate, trusted());
      return openBox(task, options, { settings: settings(task.agent), bundle, proxy, questions });
    },
    recheck: () => proxy.recheck(),
    github: () => github.known()?.source ?? null,
    dispose: () => {
      github.dispose();
      proxy.dispose();
    },
  };
}

interface BoxParts {
  readonly settings: AgentSettings;
  readonly proxy: ReturnType<typeof createEgressProxy>;
  readonly questions: ReturnType<typeof createHostQuestions>;
  /** Whom clients in it trust. */
  readonly bundle: () => Promise<string>;
}

/** The way out for one box, with what it is told of it. */
async function openBox(
  task: HostTask,
  options: EgressOptions,
  { settings: { policy, isSignedIn }, bundle, ...parts }: BoxParts,
): Promise<BoxNetwork> {
  const own = egressFor(options.config(), task.agent);
  // A token may come while the command runs, and then its requests are looked into.
  const isRead = policy.transforms.length > 0 || own.github === 'on';
  const who: Who = {
    agent: task.agent,
    session: task.session ?? null,
    box: task.id,
    cwd: task.cwd,
  };
  const trust = isRead ? await bundle() : null;
  // What nobody allowed sees none of these files.
  const masks =
    isSignedIn && task.unasked !== true
      ? maskEnvFiles(options.workspaceOf(task), { ...options, directory: options.masked })
      : null;
  const network = networkOf(who, trust, parts);
  return {
    ...network,
    variables: {
      ...network.variables,
      ...(isSignedIn && githubEnvironment()),
      ...serviceEnvironment(own.services, port),
    },
    without: isSignedIn ? githubVariables : [],
    entries: [...network.entries, ...(masks?.entries ?? [])],
    close: () => {
      network.close();
      masks?.dispose();
    },
  };
}

function networkOf(
  who: Who,
  bundle: string | null,
  { proxy, questions }: Pick<BoxParts, 'proxy' | 'questions'>,
): BoxNetwork {
  let close = (): void => {};
  return {
    port,
    variables: { ...proxyVariables(port), ...trustVariables(bundle === null ? null : bundlePath) },
    entries: bundle === null ? [] : [{ kind: 'file', target: bundlePath, content: bundle }],
    listens: (server) => {
      // Of what it accepts; the types know it of what is made by hand only.
      Object.assign(server, { allowHalfOpen: true });
      server.on('connection', (socket) => proxy.serve(socket, who));
      // Whatever is wrong with it: nobody in the box gets out any more.
      server.on('error', () => server.close());
      server.unref();
      close = () => void server.close();
    },
    commandEnded: () => questions.ended(who.box),
    close: () => {
      close();
      proxy.endBox(who.box);
      questions.ended(who.box);
    },
  };
}

async function openAuthorityAt({
  authority: path,
  uid,
  clock,
}: Pick<EgressOptions, 'authority' | 'uid' | 'clock'>): Promise<Authority> {
  ensurePrivateDirectory(dirname(path), { uid });
  // What makes certificates is large, and most boxes need none.
  const { openAuthority } = await import('./authority.ts');
  return openAuthority({ path, uid, now: () => clock.now() });
}

/** Tokens for GitHub that are masked: the present one, and those before it. */
const mostTokens = 4;

interface AgentSettings extends EgressSettings {
  /** Requests to GitHub get a token. */
  readonly isSignedIn: boolean;
}

interface Known {
  readonly rules: readonly Rule[];
  /** When one of the rules expires; milliseconds since the epoch. */
  readonly until: number;
  readonly settings: AgentSettings;
}

/** What holds for each agent, understood once for each state of the two files. */
function remembered(
  { config, rules: rulesFor, clock }: Pick<EgressOptions, 'config' | 'rules' | 'clock'>,
  hasToken: () => boolean,
): (agent: string) => AgentSettings {
  const known = new WeakMap<Config, Map<string, Known>>();
  return (agent) => {
    const current = config();
    const rules = rulesFor(agent);
    const now = clock.now();
    const own = known.get(current) ?? new Map<string, Known>();
    known.set(current, own);
    const fields = egressFor(current, agent);
    const isSignedIn = fields.github === 'on' && hasToken();
    const key = `${String(isSignedIn)} ${agent}`;
    const found = own.get(key);
    if (found?.rules === rules && now < found.until) return found.settings;
    const holding = rules.filter(({ expiresAt }) => (expiresAt ?? Infinity) > now);
    const until = Math.min(Infinity, ...holding.map(({ expiresAt }) => expiresAt ?? Infinity));
    const last = isSignedIn ? githubTransforms : [];
    const compiled = compileEgress(fields, { rules: holding, last });
    if (!compiled.ok)
      throw refuse('config-invalid', compiled.problem, 'Mend the rule, or egress in config.json.');
    const { requestsPerMinute, burst, connections } = fields;
    const { policy } = compiled;
    const made = { policy, isSignedIn, requestsPerMinute, burst, connections };
    own.set(key, { rules, until, settings: made });
    return made;
  };
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .flatMap(({ address }) => parseAddress(address.replace(/%.*$/u, '')) ?? [])
    .map(addressText);
}

/** Each way is a decision and its outcome, like a command. */
function recordIn({ audit, clock, log, used }: EgressOptions): EgressRecord {
  const rowOf = (row: WayRow, decision: DecisionRow['decision']): DecisionRow => ({
    type: 'decision',
    id: row.id,
    at: clock.now(),
    kind: 'egress',
    agent: row.who.agent,
    session: row.who.session,
    host: 'sandbox',
    cwd: row.who.cwd,
    command: row.what,
    canonical: decision === 'allow' ? row.what : null,
    decision,
    code: row.code,
    by: row.by,
    reason: row.reason,
    ruleIds: row.ruleIds,
    ...(row.answers !== undefined && { answers: row.answers }),
    ...(row.approvers !== undefined && { approvers: row.approvers }),
    ...(row.earlier !== undefined && { earlier: row.earlier }),
    ...(row.proof !== undefined && { proof: row.proof }),
    risk: 'none',
    uid: null,
    pid: null,
  });
  const quietly = (writing: Promise<void>): void => {
    writing.catch((error: unknown) => log.error('A way out could not be written down', error));
  };
  return {
    allowed: async (row) => {
      try {
        await audit.durable(rowOf(row, 'allow'));
        for (const id of row.ruleIds) used(id, row.what);
      } catch (error) {
        throw refuse(
          'audit-unavailable',
          `The record could not be written (${messageOf(error)}), so nothing was connected.`,
          'Look at the disk that holds INTERLOCK_HOME.',
          { cause: error },
        );
      }
    },
    refused: (row) => {
      quietly(audit.durable(rowOf(row, 'deny')));
      for (const id of row.ruleIds) used(id, row.what);
    },
    request: ({ who, method, target, path, status, durationMs }) => {
      const what = `${method} https://${targetText(target)}${withoutKnown(path).slice(0, 300)}`;
      const how = `${status === null ? 'no answer' : String(status)}, ${String(durationMs)} ms`;
      const text = `${who.agent}: ${what} (${how}; ${who.box})`;
      audit.append({ type: 'note', at: clock.now(), code: 'egress-request', text });
    },
    ended: ({ id, durationMs, code, sent, received }) =>
      quietly(
        audit.durable({
          type: 'outcome',
          id,
          at: clock.now(),
          outcome: 'executed',
          exitCode: null,
          signal: null,
          durationMs,
          code,
          notes: [`${String(sent)} bytes went out and ${String(received)} came in.`],
        }),
      ),
  };
}
