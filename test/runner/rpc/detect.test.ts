import { expect, it } from 'vitest';
import { detectSandbox, usesFolder } from '../../../runner/rpc/detect.ts';

const key = '/home/a/.interlock/rpc';
const config = '/home/a/.interlock/config.json';
const among = (paths: readonly string[]) => (path: string) => paths.includes(path);

it.each([
  ['SANDBOX_RUNTIME', { SANDBOX_RUNTIME: '1' }, true],
  ['another value of it', { SANDBOX_RUNTIME: '0' }, false],
  ['a name of three words', { LOGNAME: 'happy-blue-fox' }, true],
  ['a name of two', { LOGNAME: 'blue-fox' }, false],
  ['a name with a digit', { LOGNAME: 'happy-blue-fox2' }, false],
  ['a home below /sessions', { HOME: '/sessions/happy' }, true],
  ['a home beside it', { HOME: '/sessionsx/happy' }, false],
  ['the port of a proxy', { CLAUDE_CODE_HOST_HTTP_PROXY_PORT: '3128' }, true],
  ['an empty one', { CLAUDE_CODE_HOST_HTTP_PROXY_PORT: '' }, false],
  ['nothing', {}, false],
])('knows a sandbox by %s', (_name, env, inside) => {
  expect(detectSandbox({ HOME: '/home/a', ...env }, () => false).inside).toBe(inside);
});

it('takes a machine with a home for a host, whatever the variables say, and says why', () => {
  const env = { HOME: '/home/a', SANDBOX_RUNTIME: '1', LOGNAME: 'happy-blue-fox' };
  expect(detectSandbox(env, among([config]))).toEqual({
    inside: false,
    why: `${config} is there: this is a host`,
  });
  const elsewhere = { ...env, INTERLOCK_HOME: '/srv/il' };
  expect(detectSandbox(elsewhere, among(['/srv/il/config.json'])).inside).toBe(false);
  expect(detectSandbox(env, () => false).why).toBe('SANDBOX_RUNTIME is 1');
});

it('asks through a folder only where a key was delivered: an unusual name is no reason', () => {
  const env = { HOME: '/home/a', LOGNAME: 'mary-ann-smith' };
  expect(usesFolder(env, () => false)).toBe(false);
  expect(usesFolder(env, among([key]))).toBe(true);
  expect(usesFolder(env, among([key, config]))).toBe(false);
  expect(usesFolder({ HOME: '/home/a' }, among([key]))).toBe(false);
});
