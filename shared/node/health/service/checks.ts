import { danger, ok, warning } from '../judge.ts';
import type { HealthCheck, SocketState } from '../types.ts';
import type { ServiceFacts } from './types.ts';

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

function logindChecks({ wantsLogind, logindProblem }: ServiceFacts): readonly HealthCheck[] {
  if (!wantsLogind) return [];
  return [
    logindProblem === null
      ? ok('logind', 'Screen lock and sleep can be heard')
      : danger(
          'logind',
          'Screen lock and sleep cannot be heard, so they do not lock',
          `config.json asks for it (lockout.onScreenLock, lockout.onSleep). ${logindProblem}`,
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
