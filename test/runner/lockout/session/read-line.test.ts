import { expect, test } from 'vitest';
import { readLogindLine } from '../../../../runner/lockout/session-watch.ts';

const session = '/org/freedesktop/login1/session/_31';
const changed = (inner: string): string =>
  `${session}: org.freedesktop.DBus.Properties.PropertiesChanged ('org.freedesktop.login1.Session', {${inner}}, @as [])`;

test.each([
  [`${session}: org.freedesktop.login1.Session.Lock ()`],
  [changed("'LockedHint': <true>")],
  [changed("'IdleHint': <true>, 'LockedHint': <true>")],
])('%s means that the screen was locked', (line) => {
  expect(readLogindLine(line)).toEqual({ type: 'screen-locked', session });
});

test('only the beginning of sleep counts', () => {
  const line = '/org/freedesktop/login1: org.freedesktop.login1.Manager.PrepareForSleep';
  expect(readLogindLine(`${line} (true,)`)).toEqual({ type: 'going-to-sleep' });
  expect(readLogindLine(`${line} (false,)`)).toBeNull();
});

test.each([
  [''],
  ['Monitoring signals from all objects owned by org.freedesktop.login1'],
  [`${session}: org.freedesktop.login1.Session.Unlock ()`],
  [changed("'LockedHint': <false>")],
  [changed("'TTY': <\"'LockedHint': <true>\">")],
  [`x ${session}: org.freedesktop.login1.Session.Lock ()`],
  [`${session}/../..: org.freedesktop.login1.Session.Lock ()`],
  [`/org/evil: org.freedesktop.login1.Session.Lock ()`],
  [`${session}: org.freedesktop.login1.Session.Lock () `],
  [`${session}: org.freedesktop.login1.Session.Lock ()${'x'.repeat(20_000)}`],
])('%.80s means nothing', (line) => {
  expect(readLogindLine(line)).toBeNull();
});
