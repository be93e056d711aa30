import { messageOf } from '../../base/index.ts';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  commandOnPath,
  findShell,
  loadGrammar,
  loadKeytar,
  openSecretStore,
  readConfigFile,
  readPolicyFile,
  readStopState,
  systemClock,
  tokenState,
} from '../../home/index.ts';
import type { Config } from '../../engine/index.ts';
import type { ConfigFileState, PolicyFile, SecretStore } from '../../home/index.ts';
import { peerCredentials } from '../../ipc/index.ts';
import { advisorPlaceProblem } from '../advisor-place.ts';
import { filesBelow, findElectron, foundFile, hasDisplay, socketState } from './probes.ts';
import type { HealthFacts, HealthOptions } from './types.ts';

/** Connects to itself over a throw-away socket. Null when the kernel names this user as the peer. */
async function probePeerCredentials(uid: number): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-peer-'));
  const path = join(folder, 's');
  const server = createServer();
  try {
    return await new Promise<string | null>((resolve) => {
      server.once('error', (error) => resolve(error.message));
      server.once('connection', (socket) => {
        const peer = peerCredentials(socket);
        socket.destroy();
        if (peer === null) resolve('the kernel did not say who connected');
        else resolve(peer.uid === uid ? null : `the kernel named uid ${String(peer.uid)}`);
      });
      server.listen(path, () => {
        const client = connect(path);
        client.once('error', () => client.destroy());
        client.once('close', () => client.destroy());
      });
    });
  } catch (error) {
    return messageOf(error);
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Looks at everything that the checks judge. A thing that cannot be looked at becomes a problem. */
export async function gatherFacts(options: HealthOptions): Promise<HealthFacts> {
  const { paths, env, platform, uid } = options;
  const policy = readPolicyFile(paths.policy, { uid });
  const config = readConfigFile(paths.config, { uid });
  const shell = findShell();
  const [runnerSocket, approvalsSocket, grammarProblem, peerProblem, secretStore, token] =
    await Promise.all([
      socketState(paths.runnerSocket),
      socketState(paths.approvalsSocket),
      problemOf(tryGrammar),
      problemOf(async () => probePeerCredentials(uid)),
      secretStoreFacts(paths.keysDirectory),
      tokenFacts(policy, config, options),
    ]);
  return {
    paths,
    platform,
    uid,
    nodeVersion: process.versions.node,
    home: foundFile(paths.home),
    files: filesBelow(paths.home),
    runnerSocket,
    approvalsSocket,
    token,
    policyProblem: policy.ok ? null : `${policy.problem.message} ${policy.problem.hint}`,
    config: config.ok ? config.config : null,
    advisors: config.ok ? advisorFacts(config.config, options) : [],
    configProblem: config.ok ? null : `${config.problem.message} ${config.problem.hint}`,
    stopMode: readStopState(paths, uid),
    shell: { path: shell, found: existsSync(shell) },
    grammarProblem,
    peerProblem,
    command: commandOnPath(env, options.packageRoot),
    electronBinary: findElectron(options),
    hasDisplay: hasDisplay(env, platform),
    secretStore,
  };
}

/** Only those that an agent has; what nobody uses is started by nobody. */
function advisorFacts(
  { advisors, agents, exec, sandbox }: Config,
  { paths, uid }: HealthOptions,
): HealthFacts['advisors'] {
  const used = new Set(Object.values(agents).flatMap(({ advisor }) => advisor?.by ?? []));
  const workspaces = [...exec.workspaces, ...sandbox.readWrite];
  return [...used].map((name) => {
    const argv = advisors.programs[name]?.argv;
    const place = { uid, home: paths.home, workspaces };
    return { name, problem: argv === undefined ? null : advisorPlaceProblem(argv, place) };
  });
}

async function tryGrammar(): Promise<string | null> {
  const parser = await loadGrammar();
  const tree = parser.parse('true');
  const problem = tree?.rootNode.hasError === false ? null : 'the grammar cannot read "true"';
  tree?.delete();
  return problem;
}

/** Reads the choice that the store wrote down; opening the store would make one. */
async function secretStoreFacts(keysDirectory: string): Promise<HealthFacts['secretStore']> {
  const keychainLoads =
    (await problemOf(async () => ((await loadKeytar()) ? null : 'none'))) === null;
  try {
    const text = readFileSync(join(keysDirectory, 'store.json'), 'utf8');
    const { kind } = JSON.parse(text) as { kind?: unknown };
    return { chosen: kind === 'keychain' || kind === 'file' ? kind : null, keychainLoads };
  } catch {
    return { chosen: null, keychainLoads };
  }
}

/** The store is opened only where the policy refers to it. */
async function tokenFacts(
  policy: PolicyFile,
  config: ConfigFileState,
  { paths, uid }: HealthOptions,
): Promise<HealthFacts['token']> {
  if (!policy.ok || !config.ok) return 'well';
  const { home, keysDirectory: directory } = paths;
  const openStore = async (): Promise<SecretStore> =>
    openSecretStore({ home, directory, uid, clock: systemClock });
  try {
    return await tokenState(policy.document, { v1: config.config.approvals.v1, openStore });
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

async function problemOf(probe: () => Promise<string | null>): Promise<string | null> {
  try {
    return await probe();
  } catch (error) {
    return messageOf(error);
  }
}
