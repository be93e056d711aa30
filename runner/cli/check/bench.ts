import { readFileSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { createEngine, defaultConfig, parsePolicy, trustOf } from '../../../shared/engine/index.ts';
import type {
  BrokeredCalls,
  Caller,
  Config,
  Engine,
  TrustLevel,
} from '../../../shared/engine/index.ts';
import { hookPlaces } from '../../../shared/agents/index.ts';
import { openHome, openMachine, openToolPolicies } from '../../../shared/home/index.ts';
import type { Home } from '../../../shared/home/index.ts';
import { RefusalError } from '../../../shared/base/index.ts';
import { unnamedAgent } from '../../gate/authenticate.ts';
import { CliError } from '../failure.ts';
import type { Io } from '../io.ts';
import { folderOf } from '../request.ts';
import { claimsFrom } from '../trust-claims.ts';
import type { ClaimOptions } from '../trust-claims.ts';
import type { Bench } from './judge.ts';

export interface BenchOptions extends ClaimOptions {
  readonly agent?: string;
  readonly cwd?: string;
  /** Another policy file; its owner and mode do not matter, since nothing runs because of it. */
  readonly policy?: string;
  /** Directories instead of PATH, separated as in PATH. */
  readonly path?: string;
  readonly host?: string;
}

/** Loads what a run of `interlock check` needs, once. */
export async function openBench(
  options: BenchOptions,
  io: Pick<Io, 'env' | 'now' | 'cwd'>,
): Promise<Bench> {
  const home = openHome(io.env);
  const path = (options.path ?? io.env['PATH'] ?? '').split(delimiter);
  const tools = openToolPolicies(home.toolsDirectory, home.uid, path);
  await tools.look();
  return {
    engine: engineOf(options, io, tools.calls()),
    ...policyOf(options.policy === undefined ? null : resolve(folderOf(io), options.policy), home),
    host: options.host ?? null,
    cwd: resolve(folderOf(io), options.cwd ?? '.'),
    agent: options.agent ?? unnamedAgent,
    claims: claimsFrom(options, {}),
    levelOf: (agent, claims) => levelOf(configOf(home, options), { agent, claims, uid: home.uid }),
  };
}

/** As for an agent whose name is proven, at this terminal. */
function levelOf(
  config: Config,
  { agent, claims, uid }: Pick<Caller, 'agent' | 'claims' | 'uid'>,
): TrustLevel {
  const caller = { uid, ownUid: uid, agent, claimed: null, signed: true, claims };
  return trustOf(config, caller).level;
}

/** The engine on this machine under the `config.json` of this home. */
export function engineOf(
  options: Pick<BenchOptions, 'policy' | 'path'>,
  io: Pick<Io, 'env' | 'now'>,
  brokered: BrokeredCalls = new Map(),
): Engine {
  const home = openHome(io.env);
  const config = configOf(home, options);
  const path = options.path?.split(delimiter);
  const places = () => hookPlaces(io.env);
  const machine = openMachine(io.env, home.uid, { path, now: io.now, places });
  return createEngine({ ...machine, brokered: () => brokered }, () => config);
}

function policyOf(file: string | null, home: Home): Pick<Bench, 'document' | 'problem'> {
  if (file !== null) {
    const parsed = parsePolicy(readOther(file));
    return parsed.ok
      ? { document: parsed.document, problem: null }
      : { document: null, problem: parsed.problem };
  }
  const found = home.readPolicy();
  if (found.ok) return { document: found.document, problem: null };
  if (found.missing)
    throw new CliError(
      `There is no policy: ${home.policy} does not exist.`,
      'Run "interlock init", or name a file with --policy.',
    );
  return { document: null, problem: found.problem };
}

function readOther(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(`${file} cannot be read.`, 'Give --policy the path of a policy file.', {
      cause: error,
    });
  }
}

/** Routing of `config.json`; the defaults where there is none or another policy is read. */
function configOf(home: Home, options: Pick<BenchOptions, 'policy'>): Config {
  if (options.policy !== undefined) return defaultConfig;
  const read = home.readConfig();
  if (!read.ok) throw new RefusalError(read.problem);
  return read.config;
}
