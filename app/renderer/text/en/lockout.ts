import { plural } from '../plural.ts';

export const lockout = {
  button: 'Lock out',
  title: 'Stop everything and refuse every request at once',
  reason: 'Lockout from the approver',
  locked: 'Everything is locked out',
  text: 'Every request of every agent is refused. It stays so over restarts.',
  because: 'Reason',
  did: 'What the lockout did',
  stopped: (n: number) =>
    plural(n, '1 running command was stopped', `${n} running commands were stopped`),
  noneStopped: 'No command was running',
  rotated: (n: number) => plural(n, '1 key was replaced', `${n} keys were replaced`),
  noneRotated: 'No key had to be replaced',
  withdrawn: (n: number | undefined) =>
    n === undefined
      ? 'Every open ask was refused'
      : n === 0
        ? 'No ask was open'
        : plural(n, '1 open ask was refused', `${n} open asks were refused`),
  token: 'The approvals token is a new one',
  left: (n: number) =>
    plural(n, '1 process could not be stopped', `${n} processes could not be stopped`),
  holding: 'Keep holding',
  unlocking: 'Unlocking',
  noRunner: 'No runner answered: the lock holds, and one that starts will keep to it',
  wayOut: 'The way out',
  wayOutText: 'First find out what happened. Then type the passphrase and hold the button.',
  passphrase: 'Passphrase',
  hold: 'Hold to unlock',
};
