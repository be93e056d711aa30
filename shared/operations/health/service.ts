import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { refusalOf } from '../../base/index.ts';
import type { Config } from '../../engine/index.ts';
import { agentIndex, readPrincipalFile } from '../../home/index.ts';
import { hasPassphrase } from '../presence.ts';
import { launchdAgentFile, machineUnitFile, systemdUnitFile, unitName } from '../service-places.ts';
import { probeLogind, socketState } from './probes.ts';
import { danger, ok, warning } from './types.ts';
import type { HealthCheck, HealthOptions, SocketState } from './types.ts';

/** A service that starts a runner on this home. */
interface FoundService {
  /** Its unit or agent. */
  readonly file: string;
  /** Programs that it starts and that are not there. */
  readonly gone: readonly string[];
  /** Whether it starts by itself; null where that cannot be seen from files. */
  readonly isEnabled: boolean | null;
}

/** What is looked at around the runner: who starts it, who else may come, what it hears of, its keys. */
export interface ServiceFacts {
  readonly service: FoundService | null;
  /** Null where no door for other users is set up. */
  readonly door: {
    readonly path: string;
    readonly state: SocketState;
    /** How many users are named who may come. */
    readonly users: number;
  } | null;
  /** What keeps logind from being heard; null when it is heard or nobody wants to hear it. */
  readonly logindProblem: string | null;
  readonly wantsLogind: boolean;
  /** Not only by the default. */
  readonly isLogindAsked: boolean;
  readonly keys: {
    /** Why the list of agents cannot be believed; null when it can. */
    readonly problem: string | null;
    readonly keyed: number;
    /** Agents whose key was taken away. */
    readonly revoked: readonly string[];
  };
  readonly hasPassphrase: boolean;
}

/** The service of this home, of the person's own or of the machine's; null when there is none. */
function findService({
  env,
  paths,
  platform,
}: Pick<HealthOptions, 'env' | 'paths' | 'platform'>): FoundService | null {
  const person = env['HOME'] ?? homedir();
  const files =
    platform === 'darwin'
      ? [launchdAgentFile(person)]
      : platform === 'linux'
        ? [systemdUnitFile(env, person), machineUnitFile]
        : [];
  for (const file of files) {
    const text = textOf(file);
    if (text === null) continue;
    const words = wordsOf(text);
    if (!words.some((word) => word.endsWith(paths.home))) continue;
    const gone = words.filter((word) => word.startsWith('/') && !existsSync(word));
    return { file, gone, isEnabled: enabledState(file) };
  }
  return null;
}

/** All that our templates write in quotes or as strings: programs, and `INTERLOCK_HOME=…`. */
export function wordsOf(text: string): readonly string[] {
  if (!text.includes('[Service]'))
    return [...text.matchAll(/<string>([^<]*)<\/string>/gu)]
      .map(([, word = '']) => unescapedXml(word))
      .filter((word) => !word.includes(':'));
  const lines = text.split('\n').filter((line) => /^(?:ExecStart|Environment)=/u.test(line));
  return lines.flatMap((line) =>
    [...line.matchAll(/"((?:[^"\\]|\\.)*)"/gu)].map(([, word = '']) =>
      word.replaceAll(/\\(.)/gu, '$1').replaceAll('%%', '%').replaceAll('$$', '$'),
    ),
  );
}

function unescapedXml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

/** systemd keeps a link in the folder of what wants the unit. */
function enabledState(file: string): boolean | null {
  if (!file.endsWith(unitName)) return null;
  return ['default.target.wants', 'multi-user.target.wants'].some((target) =>
    existsSync(join(dirname(file), target, unitName)),
  );
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** Looks at what is around the runner. `config` is null while it is not valid. */
export async function gatherService(
  options: HealthOptions,
  config: Config | null,
): Promise<ServiceFacts> {
  const { paths, uid, env, platform } = options;
  const wanted = config?.lockout;
  const wantsLogind =
    platform === 'linux' && (wanted?.onScreenLock === true || wanted?.onSleep === true);
  return {
    service: findService(options),
    door: await doorFacts(config),
    wantsLogind,
    isLogindAsked: wanted?.onSleep === true,
    logindProblem: wantsLogind ? await probeLogind(env) : null,
    keys: keyFacts(paths.keysDirectory, uid),
    hasPassphrase: hasPassphrase({ path: paths.passphrase, uid }),
  };
}

async function doorFacts(config: Config | null): Promise<ServiceFacts['door']> {
  if (config === null || config.service.sharedSocket === null) return null;
  const { path } = config.service.sharedSocket;
  const uids = [
    ...config.users.flatMap(({ uid, agents = [] }) => (agents.length > 0 ? (uid ?? []) : [])),
    ...Object.values(config.agents).flatMap((agent) => agent.uids ?? []),
  ];
  return { path, state: await socketState(path), users: new Set(uids).size };
}

function keyFacts(directory: string, uid: number): ServiceFacts['keys'] {
  try {
    const agents = Object.entries(readPrincipalFile(agentIndex(directory), uid).agents);
    const revoked = agents.filter(([, { keyedAt }]) => keyedAt === null).map(([name]) => name);
    return { problem: null, keyed: agents.length - revoked.length, revoked };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return { problem: `${refusal.message} ${refusal.hint}`, keyed: 0, revoked: [] };
  }
}

/** What is well and what is not around the runner. Pure. */
export function serviceChecks(
  facts: ServiceFacts,
  runnerSocket: SocketState,
): readonly HealthCheck[] {
  return [
    serviceCheck(facts),
    ...doorChecks(facts, runnerSocket),
    ...logindChecks(facts),
    keysCheck(facts),
    facts.hasPassphrase
      ? ok('passphrase', 'There is a passphrase to unlock with')
      : warning(
          'passphrase',
          'No passphrase is set',
          'A lockout is ended with one. Set it now, while nothing is locked: interlock passphrase',
        ),
  ];
}

function serviceCheck({ service }: ServiceFacts): HealthCheck {
  if (service === null)
    return ok(
      'service',
      'No service starts the runner',
      'It runs while "interlock up" does. "interlock service install" has it start by itself.',
    );
  const { file, gone, isEnabled } = service;
  if (gone.length > 0)
    return danger(
      'service',
      'The service starts a program that is gone',
      `${gone.join(', ')}. Install it again: interlock service install`,
    );
  return isEnabled === false
    ? warning(
        'service',
        'The service is installed and does not start by itself',
        `${file}. Enable it: interlock service install`,
      )
    : ok('service', 'A service starts the runner', file);
}

function doorChecks({ door }: ServiceFacts, runnerSocket: SocketState): readonly HealthCheck[] {
  if (door === null) return [];
  const { path, state, users } = door;
  if (users === 0)
    return [
      warning(
        'shared-socket',
        'Nobody is named who may use the shared socket',
        `Everybody who knocks at ${path} is turned away. Name users: interlock service share --uid NUMBER`,
      ),
    ];
  if (state === 'live') return [ok('shared-socket', `Other users may come (${users} named)`, path)];
  return [
    runnerSocket === 'live'
      ? danger(
          'shared-socket',
          'The socket for other users is not open',
          `Nobody listens on ${path}. The log of the runner says why.`,
        )
      : warning(
          'shared-socket',
          'The socket for other users is not open',
          `${path} opens with the runner.`,
        ),
  ];
}

function logindChecks({
  wantsLogind,
  isLogindAsked,
  logindProblem,
}: ServiceFacts): readonly HealthCheck[] {
  if (!wantsLogind) return [];
  return [
    logindProblem === null
      ? ok('logind', 'Screen lock and sleep can be heard')
      : (isLogindAsked ? danger : warning)(
          'logind',
          'Screen lock and sleep cannot be heard, so they do not lock',
          isLogindAsked
            ? `config.json asks for it (lockout.onSleep). ${logindProblem}`
            : `A locked screen locks by default (lockout.onScreenLock; false turns it off). ${logindProblem}`,
        ),
  ];
}

function keysCheck({ keys: { problem, keyed, revoked } }: ServiceFacts): HealthCheck {
  if (problem !== null)
    return danger('keys', 'The list of agents with keys cannot be believed', problem);
  if (revoked.length > 0)
    return warning(
      'keys',
      'Agents wait for a new key',
      `${revoked.join(', ')}. Issue one each: interlock agents rekey NAME`,
    );
  return keyed === 0
    ? ok('keys', 'No agent has a key', '"interlock agents add NAME" issues one.')
    : ok('keys', keyed === 1 ? 'One agent has a key' : `${keyed} agents have keys`);
}
