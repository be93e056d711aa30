import { existsSync, readFileSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { defaultConfig, parseConfig, parsePolicy } from '../../../shared/engine/index.ts';
import type { Config } from '../../../shared/engine/index.ts';
import {
  homePaths,
  loadAnalyser,
  ownPlaces,
  readPolicyFile,
  surroundingsOf,
} from '../../../shared/home/index.ts';
import { hookPlaces } from '../../../shared/agents/index.ts';
import { RefusalError } from '../../../shared/base/index.ts';
import { unnamedAgent } from '../../gate/authenticate.ts';
import { baseEnvironment } from '../../hosts/environment.ts';
import { CliError } from '../failure.ts';
import type { Io } from '../io.ts';
import { folderOf } from '../request.ts';
import type { Bench } from './judge.ts';

export interface BenchOptions {
  readonly agent?: string;
  readonly cwd?: string;
  /** Another policy file; its owner and mode do not matter, since nothing runs because of it. */
  readonly policy?: string;
  /** Directories instead of PATH, separated as in PATH. */
  readonly path?: string;
  readonly host?: string;
}

/** Loads what a run of `interlock check` needs, once. */
export async function openBench(options: BenchOptions, io: Io): Promise<Bench> {
  const uid = process.getuid?.() ?? -1;
  const cwd = resolve(folderOf(io), options.cwd ?? '.');
  const config = configOf(io, options);
  const surroundings = surroundingsOf({
    env: baseEnvironment(io.env),
    uid,
    platform: process.platform,
    workspaces: config.workspaces,
    known: [...ownPlaces(homePaths(io.env).home), ...hookPlaces(io.env)],
    ...(options.path !== undefined && { path: options.path.split(delimiter) }),
  });
  const { trustedDirectories } = config;
  return {
    analyser: await loadAnalyser(),
    surroundings:
      trustedDirectories === null ? surroundings : { ...surroundings, trustedDirectories },
    ...policyOf(options.policy === undefined ? null : resolve(folderOf(io), options.policy), {
      io,
      uid,
    }),
    host: options.host ?? config.host,
    cwd,
    agent: options.agent ?? unnamedAgent,
    now: io.now,
  };
}

function policyOf(
  file: string | null,
  { io, uid }: { readonly io: Io; readonly uid: number },
): Pick<Bench, 'document' | 'problem'> {
  if (file !== null) {
    const parsed = parsePolicy(readOther(file));
    return parsed.ok
      ? { document: parsed.document, problem: null }
      : { document: null, problem: parsed.problem };
  }
  const { policy } = homePaths(io.env);
  const found = readPolicyFile(policy, { uid });
  if (found.ok) return { document: found.document, problem: null };
  if (found.missing)
    throw new CliError(
      `There is no policy: ${policy} does not exist.`,
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
function configOf(io: Io, options: BenchOptions): Config['exec'] {
  const path = homePaths(io.env).config;
  if (options.policy !== undefined || !existsSync(path)) return defaultConfig.exec;
  const parsed = parseConfig(readFileSync(path, 'utf8'));
  if (!parsed.ok) throw new RefusalError(parsed.problem);
  return parsed.config.exec;
}
