import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname } from 'node:path';
import { messageOf, refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import {
  addressText,
  compileEgress,
  egressFor,
  judgeTarget,
  parseAddress,
} from '../../shared/engine/index.ts';
import type { Config, Rule } from '../../shared/engine/index.ts';
import { ensurePrivateDirectory } from '../../shared/home/index.ts';
import type { NamedSecrets } from '../../shared/home/index.ts';
import type { AuditLog, DecisionRow } from '../audit/rows.ts';
import type { HostTask } from '../hosts/host.ts';
import type { BoxNetwork } from '../hosts/sandbox/launch.ts';
import type { Log } from '../service/log.ts';
import { createHostQuestions } from './ask.ts';
import type { AskAboutHostsOptions } from './ask.ts';
import type { Authority, EgressRecord, EgressSettings, WayRow, Who } from './ports.ts';
import { createEgressProxy } from './proxy.ts';
import { bundleOf, hostRoots, proxyVariables, trustVariables } from './trust.ts';

/** Where the proxy is found in a box, and whom its clients are to trust. */
const port = 3128;
const bundlePath = '/etc/interlock-trust.pem';

export interface EgressOptions extends Omit<AskAboutHostsOptions, 'config' | 'policyVerdict'> {
  readonly clock: Clock;
  readonly uid: number;
  readonly config: () => Config;
  /** The rules of the policy for an agent; the same array while they are the same. */
  readonly rules: (agent: string) => readonly Rule[];
  /** A rule has decided about a host. */
  readonly used: (ruleId: string, what: string) => void;
  /** Throws while nothing may start for an agent. */
  readonly admit: (agent: string) => void;
  readonly audit: Pick<AuditLog, 'durable'>;
  readonly log: Log;
  readonly secrets: () => Promise<Pick<NamedSecrets, 'get'>>;
  /** File of the proxy's authority. */
  readonly authority: string;
  /** The runner's own `NODE_EXTRA_CA_CERTS`. */
  readonly extraRoots: string | undefined;
}

export interface Egress {
  /** The way out for the box of a command. Rejects with a refusal where there can be none. */
  open(task: HostTask): Promise<BoxNetwork>;
  /** The settings, a lock or a grant may have changed. */
  recheck(): void;
  dispose(): void;
}

/** The proxy of this runner. One listener a box, so that each connection is known to be that box's. */
export function createEgress(options: EgressOptions): Egress {
  const { clock, log } = options;
  const settings = remembered(options);
  const questions = createHostQuestions({
    ...options,
    policyVerdict: (agent, target) => judgeTarget(settings(agent).policy, target).verdict,
  });
  let authority: Promise<Authority> | null = null;
  const openedAuthority = async (): Promise<Authority> => {
    authority ??= openAuthorityAt(options).catch((error: unknown) => {
      authority = null;
      throw error;
    });
    return authority;
  };
  let roots: readonly string[] | null = null;
  const trusted = (): readonly string[] => (roots ??= hostRoots({ extra: options.extraRoots }));
  const proxy = createEgressProxy({
    clock,
    newId: options.newId,
    admit: options.admit,
    settings,
    resolve: async (name) =>
      (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address),
    ownAddresses,
    dial: (address, to) =>
      connect({
        host: addressText(address),
        port: to,
        allowHalfOpen: true,
        autoSelectFamily: false,
        keepAlive: true,
      }),
    secret: secretsOf(options),
    ask: async (who, target, gone) => questions.ask(who, target, gone),
    authority: openedAuthority,
    roots: trusted,
    record: recordIn(options),
    log,
  });
  return {
    open: async (task) => {
      const { policy } = settings(task.agent);
      const isRead = policy.transforms.length > 0;
      const bundle = isRead ? bundleOf((await openedAuthority()).certificate, trusted()) : null;
      const who: Who = {
        agent: task.agent,
        session: task.session ?? null,
        box: task.id,
        cwd: task.cwd,
      };
      return networkOf(who, bundle, { proxy, questions });
    },
    recheck: () => proxy.recheck(),
    dispose: () => proxy.dispose(),
  };
}

function networkOf(
  who: Who,
  bundle: string | null,
  {
    proxy,
    questions,
  }: {
    readonly proxy: ReturnType<typeof createEgressProxy>;
    readonly questions: ReturnType<typeof createHostQuestions>;
  },
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

/** A keychain is slow to ask; a value that was changed is taken up after this. */
const secretMs = 10_000;

function secretsOf({
  secrets,
  clock,
}: Pick<EgressOptions, 'secrets' | 'clock'>): (name: string) => Promise<string | null> {
  const known = new Map<string, { readonly value: Promise<string | null>; readonly at: number }>();
  const read = async (name: string): Promise<string | null> => {
    const value = await (await secrets()).get(name);
    return value === null ? null : value.toString('utf8');
  };
  return async (name) => {
    const found = known.get(name);
    if (found !== undefined && clock.elapsed() - found.at < secretMs) return found.value;
    const value = read(name);
    known.set(name, { value, at: clock.elapsed() });
    // What could not be read, or is not there yet, is looked for again at once.
    value.then(
      (text) => text === null && known.delete(name),
      () => known.delete(name),
    );
    return value;
  };
}

interface Known {
  readonly rules: readonly Rule[];
  /** When one of the rules expires; milliseconds since the epoch. */
  readonly until: number;
  readonly settings: EgressSettings;
}

/** What holds for each agent, understood once for each state of the two files. */
function remembered({
  config,
  rules: rulesFor,
  clock,
}: Pick<EgressOptions, 'config' | 'rules' | 'clock'>): (agent: string) => EgressSettings {
  const known = new WeakMap<Config, Map<string, Known>>();
  return (agent) => {
    const current = config();
    const rules = rulesFor(agent);
    const now = clock.now();
    const own = known.get(current) ?? new Map<string, Known>();
    known.set(current, own);
    const found = own.get(agent);
    if (found?.rules === rules && now < found.until) return found.settings;
    const fields = egressFor(current, agent);
    const holding = rules.filter(({ expiresAt }) => (expiresAt ?? Infinity) > now);
    const until = Math.min(Infinity, ...holding.map(({ expiresAt }) => expiresAt ?? Infinity));
    const compiled = compileEgress(fields, holding);
    if (!compiled.ok)
      throw refuse('config-invalid', compiled.problem, 'Mend the rule, or egress in config.json.');
    const { requestsPerMinute, burst, connections } = fields;
    const made = { policy: compiled.policy, requestsPerMinute, burst, connections };
    own.set(agent, { rules, until, settings: made });
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
