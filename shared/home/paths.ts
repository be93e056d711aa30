import { existsSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

/** Every file and socket below `INTERLOCK_HOME`; all paths absolute. */
export interface HomePaths {
  readonly home: string;
  readonly policy: string;
  readonly config: string;
  readonly runnerSocket: string;
  readonly approvalsSocket: string;
  readonly stateDirectory: string;
  readonly lockout: string;
  readonly pause: string;
  /** One record for each command that runs. */
  readonly runningDirectory: string;
  /** Signed requests that were seen, and what is left in the token buckets. */
  readonly nonces: string;
  readonly limits: string;
  /** Which requests of shared folders were taken up, and answered. */
  readonly rpcJournal: string;
  /** What a person granted for a while, until it ends. */
  readonly grants: string;
  /** What sessions of agents have other than the agents, where a person had it kept. */
  readonly sessionOverrides: string;
  /** What scripts held when a person allowed them. */
  readonly allowedTexts: string;
  /** How the hooks of agents stood when they last asked, and which agents are stopped for it. */
  readonly arming: string;
  readonly auditDirectory: string;
  /** How far the record has gone to other places. */
  readonly auditExport: string;
  readonly keysDirectory: string;
  /** What is kept of the passphrase that unlocks. */
  readonly passphrase: string;
  /** The public halves of the person's passkeys. */
  readonly passkeys: string;
  /** The public halves of the keys of phones, and the invitation that waits for one. */
  readonly devices: string;
  readonly pairing: string;
  /** Our own keys towards push services. */
  readonly pushKeys: string;
  /** Where agents find their keys: `NAME.key`. */
  readonly agentKeysDirectory: string;
  /** Key and certificate of the egress proxy's own authority. */
  readonly egressAuthority: string;
  /** The key by which OpenClaw's Gateway knows this home. */
  readonly openclawDevice: string;
  /** Who this machine is to the gateway that it is a node of. */
  readonly nodeFile: string;
  /** Where a gateway that comes by SSH reaches the runner, and where `interlock node pair`. */
  readonly nodeSocket: string;
  readonly pairSocket: string;
  /** The nodes that a person let in here; the key and the certificate by which they know this gateway. */
  readonly nodes: string;
  /** What this gateway has nodes run, and what this node runs for its gateway: a journal each pairing. */
  readonly nodeLockouts: string;
  readonly gatewayRuns: string;
  readonly nodeRuns: string;
  readonly nodesDevice: string;
  readonly nodesCertificate: string;
  /** What this machine has taken up of what its fleet was told. */
  readonly fleetState: string;
  /** What the gateway of a fleet has told it last. */
  readonly fleetTold: string;
  /** The keys of the fleet that this machine is the gateway of. */
  readonly fleet: string;
  /** What lets this machine be a further gateway of a fleet that another one has made. */
  readonly fleetGateway: string;
  /** Where the console leaves the link for this start, for `interlock ui` to print again. */
  readonly consoleLink: string;
  /** What a person set about the menu-bar app. */
  readonly uiSettings: string;
  /** What commands in a sandbox wrote into caches: layers over the person's own. */
  readonly sandboxLayers: string;
  /** A record for each named box, and the sockets of those that run. */
  readonly boxesDirectory: string;
  /** What workspaces looked like before commands changed them. */
  readonly undoDirectory: string;
  /** Outside of the home: where the key of the encrypted secrets is, where no keychain answers. */
  readonly secretsKeyDirectory: string;
  /** What brokered tools may be asked for: `NAME.yaml`. */
  readonly toolsDirectory: string;
  /** Which version the home has; what a change of version has under way; how files were before. */
  readonly stamp: string;
  readonly migration: string;
  readonly backups: string;
}

/**
 * Who this process is: its effective user, by which the kernel opens files, makes them, and names us
 * to the other end of a socket (SO_PEERCRED, getpeereid). The real user may be another where a program
 * is started through sudo or a set-uid bit. -1 where the system has no users: nothing is ours there.
 */
export function ownUid(): number {
  return process.geteuid?.() ?? -1;
}

/** The layout of `INTERLOCK_HOME`, from the environment; `~/.interlock` when it is not set. */
export function homePaths(env: Readonly<Record<string, string | undefined>>): HomePaths {
  const wanted = env['INTERLOCK_HOME'];
  const home =
    wanted === undefined || wanted === ''
      ? join(homedir(), '.interlock')
      : isAbsolute(wanted)
        ? wanted
        : resolve(wanted);
  const stateDirectory = join(home, 'state');
  return {
    home,
    policy: join(home, 'exec-approvals.json'),
    config: join(home, 'config.json'),
    runnerSocket: join(home, 'runner.sock'),
    approvalsSocket: join(home, 'exec-approvals.sock'),
    stateDirectory,
    lockout: join(stateDirectory, 'lockout.json'),
    pause: join(stateDirectory, 'pause.json'),
    runningDirectory: join(stateDirectory, 'running'),
    nonces: join(stateDirectory, 'nonces'),
    limits: join(stateDirectory, 'limits.json'),
    rpcJournal: join(stateDirectory, 'rpc.journal'),
    grants: join(stateDirectory, 'grants.json'),
    sessionOverrides: join(stateDirectory, 'session-overrides.json'),
    allowedTexts: join(stateDirectory, 'allowed-texts'),
    arming: join(stateDirectory, 'arming.json'),
    auditDirectory: join(home, 'audit'),
    auditExport: join(stateDirectory, 'audit-export.json'),
    keysDirectory: join(home, 'keys'),
    passphrase: join(home, 'keys', 'passphrase.json'),
    passkeys: join(home, 'keys', 'passkeys.json'),
    devices: join(home, 'keys', 'devices.json'),
    pairing: join(stateDirectory, 'pairing.json'),
    pushKeys: join(home, 'keys', 'push.json'),
    agentKeysDirectory: join(home, 'keys', 'agents'),
    egressAuthority: join(home, 'keys', 'egress-authority.pem'),
    openclawDevice: join(home, 'keys', 'openclaw-device.pem'),
    nodeFile: join(home, 'node.json'),
    nodeSocket: join(stateDirectory, 'node.sock'),
    pairSocket: join(stateDirectory, 'pair.sock'),
    nodes: join(stateDirectory, 'nodes.json'),
    nodeLockouts: join(stateDirectory, 'node-lockouts.json'),
    gatewayRuns: join(stateDirectory, 'gateway-runs'),
    nodeRuns: join(stateDirectory, 'node-runs'),
    nodesDevice: join(home, 'keys', 'nodes-gateway.pem'),
    nodesCertificate: join(home, 'keys', 'nodes-certificate.pem'),
    fleetState: join(stateDirectory, 'fleet.json'),
    fleetTold: join(stateDirectory, 'fleet-told.json'),
    fleet: join(home, 'keys', 'fleet.json'),
    fleetGateway: join(home, 'keys', 'fleet-gateway.json'),
    consoleLink: join(stateDirectory, 'console-link'),
    uiSettings: join(home, 'ui.json'),
    sandboxLayers: join(home, 'sandbox', 'layers'),
    boxesDirectory: join(stateDirectory, 'boxes'),
    undoDirectory: join(home, 'undo'),
    secretsKeyDirectory: join(dataDirectory(env), 'interlock', 'keys'),
    toolsDirectory: join(home, 'policy'),
    stamp: join(home, 'home.json'),
    migration: join(home, 'migration.json'),
    backups: join(home, 'backups'),
  };
}

/** Where programs keep what is theirs; of the user that this process is by now. */
function dataDirectory(env: Readonly<Record<string, string | undefined>>): string {
  const named = env['XDG_DATA_HOME'] ?? '';
  const isSwitched = process.geteuid?.() !== process.getuid?.();
  if (isSwitched) return join(homeOfOwner(), '.local', 'share');
  return isAbsolute(named) ? named : join(homedir(), '.local', 'share');
}

/** Of the user that root has become; a user that no list of users knows has the one in the variables. */
const homeOfOwner = (): string => ownUser().home;

/** Who this process is, and how. A number that no list of users knows, as in a container, is one, too. */
export function ownUser(): {
  readonly name: string;
  readonly home: string;
  readonly shell: string | null;
} {
  try {
    const { username, homedir: home, shell } = userInfo();
    return { name: username, home, shell };
  } catch {
    const home = homedir();
    return {
      name: `user-${process.geteuid?.() ?? 0}`,
      home: isAbsolute(home) ? home : '/',
      shell: null,
    };
  }
}

/** Longest path of a Unix socket in bytes: the smaller one, of macOS, less the final NUL. */
export const longestSocketPath = 103;

/** The first socket of a home whose path is longer than a Unix socket's may be, or null. */
export function overlongSocket(
  paths: Pick<HomePaths, 'runnerSocket' | 'approvalsSocket' | 'stateDirectory'>,
): string | null {
  // The last one is where an approver that runs hears of a second start.
  const sockets = [
    paths.runnerSocket,
    paths.approvalsSocket,
    join(paths.stateDirectory, 'ui.sock'),
  ];
  return sockets.find((path) => Buffer.byteLength(path) > longestSocketPath) ?? null;
}

/** Where a runner with a user of its own has its door for others. */
export const machineSocket = '/run/interlock/runner.sock';

/**
 * The socket of the runner that this user's commands go to: the one that `INTERLOCK_SOCKET` names,
 * else the home's own, else, where this user has set up no home and has named none, the machine's.
 */
export function clientSocket(
  env: Readonly<Record<string, string | undefined>>,
  paths: Pick<HomePaths, 'config' | 'runnerSocket'>,
  machine: string = machineSocket,
): string {
  const { INTERLOCK_SOCKET: named = '', INTERLOCK_HOME: home = '' } = env;
  if (named !== '') return resolve(named);
  if (home !== '' || existsSync(paths.config)) return paths.runnerSocket;
  return existsSync(machine) ? machine : paths.runnerSocket;
}
