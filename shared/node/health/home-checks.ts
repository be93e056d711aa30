import { danger, mendable, ok, warning } from './judge.ts';
import type { HomePaths } from '../home/paths.ts';
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
export const homeCheck: Check = ({ home, paths, uid }) => {
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
export const fileModesCheck: Check = ({ home, files, uid, platform }) => {
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
export const socketsCheck: Check = ({ paths, runnerSocket, approvalsSocket }) => {
  const sockets: readonly (readonly [string, SocketState])[] = [
    [paths.runnerSocket, runnerSocket],
    [paths.approvalsSocket, approvalsSocket],
  ];
  const wrong = sockets.find(([, state]) => state === 'not-a-socket');
  if (wrong !== undefined)
    return danger('sockets', 'Something lies in the place of a socket', `Move ${wrong[0]} away.`);
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
export const runnerCheck: Check = ({ runnerSocket }) =>
  runnerSocket === 'live'
    ? ok('runner', 'The runner answers')
    : warning('runner', 'The runner is not running', 'Start it with "interlock up".');

/** Whether a person can be asked. */
export const approverCheck: Check = ({ approvalsSocket }) =>
  approvalsSocket === 'live'
    ? ok('approver', 'An approver is running')
    : warning(
        'approver',
        'No approver is running',
        'Nobody can be asked, so askFallback decides. Start one with "interlock ui".',
      );
