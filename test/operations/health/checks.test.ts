import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../../shared/engine/config.ts';
import { checks } from '../../../shared/operations/health/checks.ts';
import type { FoundFile, HealthFacts } from '../../../shared/operations/health/types.ts';
import { homePaths } from '../../../shared/home/paths.ts';

const paths = homePaths({ INTERLOCK_HOME: '/home/me/.interlock' });
const file = (change: Partial<FoundFile> = {}): FoundFile => ({
  path: paths.policy,
  kind: 'file',
  uid: 1000,
  mode: 0o600,
  ...change,
});

const well: HealthFacts = {
  paths,
  platform: 'linux',
  uid: 1000,
  nodeVersion: '22.1.0',
  command: { kind: 'missing' },
  home: { path: paths.home, kind: 'directory', uid: 1000, mode: 0o700 },
  files: [file()],
  runnerSocket: 'live',
  approvalsSocket: 'live',
  policyProblem: null,
  token: 'well',
  config: {
    ...defaultConfig,
    service: { ...defaultConfig.service, sharedSocket: { path: '/run/interlock/s', gid: 7 } },
  },
  configProblem: null,
  stopMode: { mode: 'armed', reason: null },
  shell: { path: '/bin/bash', found: true },
  grammarProblem: null,
  peerProblem: null,
  electronBinary: '/opt/electron',
  advisors: [],
  hasDisplay: true,
  secretStore: { chosen: 'keychain', keychainLoads: true },
};

const findingsIn = (change: Partial<HealthFacts>) =>
  checks
    .map((check) => check({ ...well, ...change }))
    .filter(({ level }) => level !== 'ok')
    .map(({ id, level, mendable }) => `${level} ${id}${mendable ? ' (mendable)' : ''}`);

describe('the checks of a set-up', () => {
  it('find nothing where all is well', () => {
    expect(findingsIn({})).toEqual([]);
  });

  it('have one id each', () => {
    const ids = checks.map((check) => check(well).id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each<[string, Partial<HealthFacts>, readonly string[]]>([
    ['no home', { home: null }, ['danger home']],
    ['a home that is a file', { home: file() }, ['danger home']],
    [
      'a home of somebody else',
      { home: { path: paths.home, kind: 'directory', uid: 7, mode: 0o700 } },
      ['danger home', 'danger file-modes'],
    ],
    ['a readable policy', { files: [file({ mode: 0o644 })] }, ['danger file-modes (mendable)']],
    ['a foreign file', { files: [file({ uid: 0 })] }, ['danger file-modes']],
    [
      'a symlink, which has no mode of its own',
      { files: [file({ kind: 'symlink', mode: 0o777 })] },
      [],
    ],
    ['a token to be moved', { token: 'in-policy' }, ['warning approvals-token (mendable)']],
    ['a token to be put back', { token: 'in-store' }, ['warning approvals-token (mendable)']],
    ['a token that is gone', { token: 'lost' }, ['danger approvals-token (mendable)']],
    ['a store that is silent', { token: { problem: 'No.' } }, ['danger approvals-token']],
    ['a broken policy', { policyProblem: 'It is empty.' }, ['danger policy']],
    [
      'a broken config',
      { configProblem: 'It is empty.', config: null },
      ['danger config', 'warning isolation'],
    ],
    ['a lockout', { stopMode: { mode: 'locked', reason: null } }, ['danger stop']],
    ['a pause', { stopMode: { mode: 'paused', reason: 'lunch' } }, ['warning stop']],
    ['no runner', { runnerSocket: 'absent' }, ['warning runner']],
    ['no approver', { approvalsSocket: 'absent' }, ['warning approver']],
    [
      'a socket left behind',
      { approvalsSocket: 'stale' },
      ['warning approver', 'warning sockets (mendable)'],
    ],
    [
      'a folder in the place of a socket',
      { runnerSocket: 'not-a-socket' },
      ['warning runner', 'danger sockets'],
    ],
    ['agents outside a sandbox', { config: defaultConfig }, ['warning isolation']],
    [
      'a host that does not exist',
      { config: { ...defaultConfig, exec: { ...defaultConfig.exec, host: 'node' } } },
      ['danger isolation'],
    ],
    [
      'an agent on a host that does not exist',
      { config: { ...defaultConfig, agents: { claude: { host: 'node' } } } },
      ['danger isolation'],
    ],
    [
      'a hold that is switched off',
      { config: { ...defaultConfig, exec: { ...defaultConfig.exec, enforce: 'off' } } },
      ['warning isolation', 'danger enforce'],
    ],
    ['no peer credentials', { peerProblem: 'none' }, ['danger peer-credentials']],
    ['no grammar', { grammarProblem: 'no wasm' }, ['danger grammar']],
    ['no shell', { shell: { path: '/bin/sh', found: false } }, ['danger shell']],
    ['an old Node', { nodeVersion: '20.18.9' }, ['danger node']],
    [
      'a stranger by our name on PATH',
      { command: { kind: 'strange', file: '/usr/local/bin/interlock' } },
      ['warning command'],
    ],
    ['the oldest Node that will do', { nodeVersion: '20.19.0' }, []],
    ['no Electron, which is not a fault', { electronBinary: null }, []],
    [
      'keys in files',
      { secretStore: { chosen: 'file', keychainLoads: false } },
      ['warning secret-store'],
    ],
    [
      'a keychain that is gone',
      { secretStore: { chosen: 'keychain', keychainLoads: false } },
      ['danger secret-store'],
    ],
  ])('see %s', (_what, change, found) => {
    expect(findingsIn(change)).toEqual(found);
  });

  it('say plainly that there is no node host yet, and what becomes of commands', () => {
    const config = { ...defaultConfig, exec: { ...defaultConfig.exec, host: 'node' as const } };
    const found = checks.map((check) => check({ ...well, config }));
    expect(found.find(({ id }) => id === 'isolation')).toMatchObject({
      title: 'There is no node host yet: commands are refused',
      detail: expect.stringContaining('"host-unavailable"') as string,
    });
  });

  it('say what to do about whatever is wrong', () => {
    const worst: HealthFacts = {
      ...well,
      home: null,
      files: [file({ mode: 0o644 })],
      policyProblem: 'It is empty.',
      configProblem: 'It is empty.',
      config: null,
      runnerSocket: 'stale',
      approvalsSocket: 'absent',
      peerProblem: 'none',
      grammarProblem: 'none',
      shell: { path: '/bin/sh', found: false },
      nodeVersion: '18.0.0',
    };
    for (const { level, detail } of checks.map((check) => check(worst)))
      if (level !== 'ok') expect(detail).not.toBe('');
  });
});
