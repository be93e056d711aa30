import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isGuest, sessionOf } from '../../../runner/principals/callers.ts';
import { clientSocket } from '../../../shared/home/paths.ts';
import { homePaths } from '../../../shared/home/paths.ts';

const users = [
  { uid: 5, agents: ['claude'] },
  { uid: 6, agents: [] },
];
const agents = { codex: { uids: [7] }, other: {} };

test.each([
  [5, true],
  [6, false],
  [7, true],
  [8, false],
])('user %i may come in: %s', (uid, expected) => {
  expect(isGuest({ users, agents }, uid)).toBe(expected);
});

test('where nobody is named, nobody may come in', () => {
  for (const uid of [0, 5, 65_534]) expect(isGuest({ users: [], agents: {} }, uid)).toBe(false);
});

test.each([
  ['s', 1, 's'],
  ['s', 5, '5/s'],
  ['s', null, 'nobody/s'],
  [undefined, 5, null],
] as const)('the session %s of user %s is known as %s', (session, caller, known) => {
  expect(sessionOf(session, { caller, owner: 1 })).toBe(known);
});

test('commands go to the socket that is named, to the own home, or else to the machine’s', () => {
  const nowhere = homePaths({ INTERLOCK_HOME: '/nonexistent' });
  const there = import.meta.filename;
  const absent = join(there, 'absent');
  expect(clientSocket({ INTERLOCK_SOCKET: '/s' }, nowhere, there)).toBe('/s');
  expect(clientSocket({}, nowhere, there)).toBe(there);
  expect(clientSocket({}, nowhere, absent)).toBe(nowhere.runnerSocket);
  expect(clientSocket({}, { ...nowhere, config: there }, there)).toBe(nowhere.runnerSocket);
  expect(clientSocket({ INTERLOCK_HOME: '/h' }, nowhere, there)).toBe(nowhere.runnerSocket);
});
