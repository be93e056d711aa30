import { hosts, titleOf, whoRuns } from '../../agents/index.ts';
import type { AgentFacts, HookFacts } from '../../agents/index.ts';
import { presentHosts } from '../../engine/index.ts';
import type { Config } from '../../engine/index.ts';
import type { HomePaths, TokenState } from '../../home/index.ts';
import { danger, mendable, ok, warning } from './types.ts';
import type { Check, FoundFile, HealthCheck, SocketState } from './types.ts';

/**
 * All that is to be said where there is no home: everything else would only be missing because of
 * it. A user without one may still be served by the runner of the machine, at `socket`.
 */
export function notSetUp(
  { home, runnerSocket }: Pick<HomePaths, 'home' | 'runnerSocket'>,
  socket: string,
): HealthCheck {
  return socket === runnerSocket
    ? danger('home', 'Interlock is not set up here', `Run "interlock init" to make ${home}.`)
    : ok(
        'home',
        'You use the runner of this machine',
        `${socket}. Its health: sudo -u interlock -H interlock doctor`,
      );
}

/** `INTERLOCK_HOME` is a directory of ours. */
const homeCheck: Check = ({ home, paths, uid }) => {
  if (home === null)
    return danger(
      'home',
      'There is no INTERLOCK_HOME',
      `Run "interlock init" to make ${paths.home}.`,
    );
  if (home.kind !== 'directory')
    return danger(
      'home',
      'INTERLOCK_HOME is not a directory',
      `Move ${paths.home} away, then "interlock init".`,
    );
  if (home.uid !== uid)
    return danger(
      'home',
      'INTERLOCK_HOME belongs to somebody else',
      `${paths.home} belongs to uid ${String(home.uid)}. Make one of your own, or run as that user.`,
    );
  return ok('home', 'INTERLOCK_HOME is yours', paths.home);
};

/** Nothing in the home can be used by other users. */
const fileModesCheck: Check = ({ home, files, uid, platform }) => {
  if (platform === 'win32') return ok('file-modes', 'File modes are not checked on Windows');
  const all = home === null ? files : [home, ...files];
  const foreign = all.find((file) => file.uid !== uid);
  if (foreign !== undefined)
    return danger(
      'file-modes',
      'A file in INTERLOCK_HOME belongs to somebody else',
      `${foreign.path} belongs to uid ${String(foreign.uid)}. Look at it, then remove it or chown it.`,
    );
  const loose = all.filter(isLoose);
  const [first] = loose;
  if (first === undefined) return ok('file-modes', 'Only you can read INTERLOCK_HOME');
  return mendable(
    danger(
      'file-modes',
      'Others can use files in INTERLOCK_HOME',
      `${first.path} has mode ${first.mode.toString(8)}${loose.length > 1 ? `, and ${String(loose.length - 1)} more are loose` : ''}.`,
    ),
  );
};

/** Whether group or others may do anything with it. A symlink has no mode of its own. */
export function isLoose(file: FoundFile): boolean {
  return file.kind !== 'symlink' && (file.mode & 0o077) !== 0;
}

/** Sockets that nobody listens on, and things in the place of a socket. */
const socketsCheck: Check = ({ paths, runnerSocket, approvalsSocket }) => {
  const sockets: readonly (readonly [string, SocketState])[] = [
    [paths.runnerSocket, runnerSocket],
    [paths.approvalsSocket, approvalsSocket],
  ];
  const wrong = sockets.find(([, state]) => state === 'not-a-socket');
  if (wrong !== undefined)
    return danger('sockets', 'Something lies in the place of a socket', `Move ${wrong[0]} away.`);
  const foreign = sockets.find(([, state]) => state === 'foreign');
  if (foreign !== undefined)
    return danger(
      'sockets',
      'Somebody else may serve a socket',
      `Nothing is sent to ${foreign[0]}: it, or its folder, is not yours alone. Look at what lies there.`,
    );
  const stale = sockets.filter(([, state]) => state === 'stale').map(([path]) => path);
  if (stale.length === 0) return ok('sockets', 'No socket was left behind');
  return mendable(
    warning(
      'sockets',
      'A program that ended left its socket behind',
      `${stale.join(', ')}. The next start clears it.`,
    ),
  );
};

/** Whether somebody decides. */
const runnerCheck: Check = ({ runnerSocket }) =>
  runnerSocket === 'live'
    ? ok('runner', 'The runner answers')
    : warning('runner', 'The runner is not running', 'Start it with "interlock up".');

/** Whether a person can be asked. */
const approverCheck: Check = ({ approvalsSocket }) =>
  approvalsSocket === 'live'
    ? ok('approver', 'An approver is running')
    : warning(
        'approver',
        'No approver is running',
        'Nobody can be asked, so askFallback decides. Start one with "interlock ui".',
      );

const oldestNode = [20, 19] as const;

const nodeCheck: Check = ({ nodeVersion }) => {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  return isOld
    ? danger(
        'node',
        `Node ${nodeVersion} is too old`,
        `Install Node ${oldestNode.join('.')} or newer.`,
      )
    : ok('node', `Node ${nodeVersion}`);
};

const commandCheck: Check = ({ command }) => {
  if (command.kind === 'strange')
    return warning(
      'command',
      'Another program goes by the name "interlock"',
      `${command.file} comes first on your PATH and is not this Interlock. Take it away, or call this one by its path.`,
    );
  return command.kind === 'ours'
    ? ok('command', '"interlock" on your PATH is this one', command.file)
    : ok('command', 'The command is started by its path; "interlock" is not on your PATH');
};

const shellCheck: Check = ({ shell: { path, found } }) =>
  found
    ? ok('shell', 'There is a shell for shell text', path)
    : danger(
        'shell',
        'There is no shell',
        `${path} is missing; shell text cannot run. Install bash.`,
      );

const grammarCheck: Check = ({ grammarProblem }) =>
  grammarProblem === null
    ? ok('grammar', 'Shell text can be analysed')
    : danger(
        'grammar',
        'The shell grammar does not load: shell text cannot be allowed by rules',
        `${grammarProblem} Install again with "npm ci".`,
      );

const peerCheck: Check = ({ peerProblem }) =>
  peerProblem === null
    ? ok('peer-credentials', 'The kernel says who connects')
    : danger(
        'peer-credentials',
        'It cannot be seen who connects, so every connection is refused',
        `${peerProblem} Install again with "npm ci", so that koffi gets its platform package.`,
      );

const electronCheck: Check = ({ electronBinary, hasDisplay }) => {
  if (electronBinary !== null && hasDisplay)
    return ok('electron', 'The menu bar app can start', electronBinary);
  return ok(
    'electron',
    'The browser console is the approver here',
    electronBinary === null
      ? 'The Electron binary is not installed. "npx install-electron" fetches it; ELECTRON_PATH names another one.'
      : 'There is no display: neither DISPLAY nor WAYLAND_DISPLAY is set.',
  );
};

const secretStoreCheck: Check = ({ secretStore: { chosen, keychainLoads } }) => {
  if (chosen === 'keychain')
    return keychainLoads
      ? ok('secret-store', "Keys are in the system's keychain")
      : danger(
          'secret-store',
          'The keychain that holds the keys cannot be reached',
          'Install libsecret (apt install libsecret-1-dev), then "npm ci".',
        );
  if (chosen === 'file')
    return warning(
      'secret-store',
      'Keys are in files that only you can read',
      'No keychain answered when they were made. Programs of the same user can read them.',
    );
  return ok(
    'secret-store',
    'No keys have been made yet',
    keychainLoads ? 'They will go to the keychain if it answers.' : 'They will go to 0600 files.',
  );
};

const tokenWords: Readonly<Record<Exclude<TokenState, 'well'>, readonly [string, string]>> = {
  'in-policy': [
    'The approvals token stands in the policy, and approvals.v1 is off',
    'A runner moves it into the secret store when it starts.',
  ],
  'in-store': [
    'The approvals token is in the secret store, and approvals.v1 is on',
    'Version-1 clients do not find it there. A runner puts a new one into the policy when it starts.',
  ],
  lost: [
    'The secret store has not got the approvals token that the policy refers to',
    'No approver can connect. A runner makes a new one when it starts.',
  ],
};

/** The approvals token stands where `approvals.v1` wants it, and can be had. */
const tokenCheck: Check = ({ token }) => {
  const id = 'approvals-token';
  if (token === 'well') return ok(id, 'The approvals token is where it should be');
  if (typeof token === 'object')
    return danger(id, 'The approvals token cannot be had: no approver can connect', token.problem);
  const [title, detail] = tokenWords[token];
  return mendable((token === 'lost' ? danger : warning)(id, title, detail));
};

const policyCheck: Check = ({ policyProblem, paths }) => {
  if (policyProblem === null) return ok('policy', 'The policy is valid', paths.policy);
  return danger('policy', 'The policy is not valid: everything is denied', policyProblem);
};
const configCheck: Check = ({ config, configProblem, paths }) => {
  const files = [paths.config, ...(config?.managed ?? []).map(({ path }) => path)].join(' · ');
  if (configProblem === null) return ok('config', 'config.json is valid', files);
  return danger('config', 'config.json is not valid: everything is denied', configProblem);
};

const stopCheck: Check = ({ stopMode: { mode, reason } }) => {
  const because = reason === null ? '' : `Reason: ${reason} · `;
  if (mode === 'armed') return ok('stop', 'Neither locked nor paused');
  if (mode === 'paused') return warning('stop', 'Paused', `${because}"interlock resume" goes on.`);
  return danger('stop', 'Locked: everything is refused', `${because}A person has to unlock it.`);
};

/** Says plainly what the gate cannot hold: code of the same user outside a sandbox. */
const isolationCheck: Check = ({ config, uid }) => {
  const title = 'Agents run unsandboxed as the same user';
  const absent = config === null ? null : absentHost(config);
  if (absent !== null)
    return danger(
      'isolation',
      `There is no ${absent.host} host yet: ${absent.whose} are refused`,
      `Every such command ends in "host-unavailable". Set ${absent.setting} to "gateway" in config.json.`,
    );
  if (config !== null && config.service.sharedSocket !== null)
    return ok(
      'isolation',
      'The runner has a user of its own',
      'Programs of other users can only ask. What is approved runs as this user, and can read this home.',
    );
  return warning(
    'isolation',
    uid === 0 ? `${title}, and that user is root` : title,
    'The gate sees what is asked of it. A program that already runs as you, and does not ask, can read the token, ' +
      'answer for you or edit these files. Have commands run in the sandbox (exec.host), or give the runner a user of its own (interlock service install --system); ' +
      'docs/threat-model.md says what holds and what does not.',
  );
};

/** Holding what rules allow can be switched off, and then a hole in a record is one in the gate. */
const enforceCheck: Check = ({ config, platform }) =>
  config?.exec.enforce !== 'off' || platform !== 'linux'
    ? ok('enforce', 'What rules allow is held to what was seen, where the kernel can')
    : danger(
        'enforce',
        'What rules allow is not held by the kernel',
        'exec.enforce is "off" in config.json: a program that does more than its record says is not stopped.',
      );

/** An advisor that cannot be started leaves every ask to a person, so nothing is unsafe. */
const advisorsCheck: Check = ({ advisors }) => {
  const broken = advisors.find(({ problem }) => problem !== null);
  if (broken !== undefined)
    return warning(
      'advisors',
      'An advisor is not started',
      `"${broken.name}": ${broken.problem ?? ''}. Its asks come to you without its word.`,
    );
  const names = advisors.map(({ name }) => name).join(', ');
  return names === ''
    ? ok('advisors', 'No advisor looks at asks')
    : ok('advisors', 'Advisors look at asks before you do', names);
};

/** The first setting that sends commands to a host that does not exist; null when none does. */
function absentHost({ exec, agents }: Config): {
  readonly host: string;
  readonly whose: string;
  readonly setting: string;
} | null {
  const isAbsent = (host = exec.host): boolean => !presentHosts.includes(host);
  if (isAbsent()) return { host: exec.host, whose: 'commands', setting: 'exec.host' };
  const found = Object.entries(agents).find(([, { host }]) => isAbsent(host));
  if (found?.[1].host === undefined) return null;
  const [agent, { host }] = found;
  return { host, whose: `commands of "${agent}"`, setting: `agents.${agent}.host` };
}

/** One line for each agent that is behind the gate, or says that none is. */
export function agentChecks(
  agents: readonly AgentFacts[],
  runnerSocket: SocketState,
): readonly HealthCheck[] {
  if (agents.length > 0) return agents.map((agent) => agentCheck(agent, runnerSocket));
  const hint = `Put one there: interlock install ${hosts[0] ?? ''}`;
  return [ok('agents', 'No agent is behind the gate', hint)];
}

function agentCheck(facts: AgentFacts, runnerSocket: SocketState): HealthCheck {
  const { host, isProject, path, hook } = facts;
  const id = isProject ? `agent-${host}-here` : `agent-${host}`;
  const name = isProject ? `${titleOf(host)}, in this folder,` : titleOf(host);
  const again = `Mend it: interlock install ${host}${isProject ? ' --project' : ''}`;
  const broken = [...facts.broken, ...(hook === null ? [] : missingPrograms(hook))];
  if (broken.length > 0)
    return danger(
      id,
      `${name} is not held by the gate as it should be`,
      [...broken, again].join(' '),
    );
  const notes = [
    ...(hook === null ? [] : noted(hook, again)),
    ...facts.remarks,
    ...unreachable(runnerSocket),
  ];
  const runs = whoRuns(host, hook?.decideOnly);
  if (notes.length > 0)
    return warning(
      id,
      `${name} is behind the gate, with something to see to`,
      [...notes, runs].join(' '),
    );
  return ok(id, `${name} is behind the gate`, `${path}. ${runs}`);
}

function missingPrograms({ missing }: HookFacts): readonly string[] {
  return missing.length === 0
    ? []
    : [`Its hook cannot start: ${missing.join(' and ')} is missing.`];
}

function noted({ agent, key, isOurs, wait, asking }: HookFacts, again: string): readonly string[] {
  return [
    ...(key === 'none'
      ? [`"${agent}" has no key, so that others can ask in its name. ${again}`]
      : []),
    ...(key === 'taken-away'
      ? [`The key of "${agent}" was taken away. Issue a new one: interlock agents rekey ${agent}`]
      : []),
    ...(isOurs ? [] : [`Its hook belongs to another installation of Interlock. ${again}`]),
    ...(asking <= wait
      ? []
      : [
          `The policy gives a person ${String(asking)} seconds, and its hook gives up after ${String(wait)}. ${again}`,
        ]),
  ];
}

function unreachable(runnerSocket: SocketState): readonly string[] {
  return runnerSocket === 'live'
    ? []
    : ['The runner is not running, so everything it asks for is refused.'];
}

/** Every check, in the order in which a person reads them. */
export const checks: readonly Check[] = [
  homeCheck,
  fileModesCheck,
  policyCheck,
  configCheck,
  advisorsCheck,
  stopCheck,
  runnerCheck,
  approverCheck,
  socketsCheck,
  isolationCheck,
  enforceCheck,
  peerCheck,
  grammarCheck,
  shellCheck,
  secretStoreCheck,
  tokenCheck,
  electronCheck,
  nodeCheck,
  commandCheck,
];
