import { describe, expect, it } from 'vitest';
import { launchdPlist } from '../../../runner/cli/service/launchd.ts';
import { systemdUnit } from '../../../runner/cli/service/systemd.ts';
import { serviceChecks } from '../../../shared/operations/health/service.ts';
import { wordsOf } from '../../../shared/operations/health/service.ts';
import type { ServiceFacts } from '../../../shared/operations/health/service.ts';
import type { SocketState } from '../../../shared/operations/health/types.ts';

const well: ServiceFacts = {
  service: { file: '/u', gone: [], isEnabled: true },
  door: { path: '/run/s', state: 'live', users: 1 },
  wantsLogind: true,
  isLogindAsked: true,
  logindProblem: null,
  keys: { problem: null, keyed: 2, revoked: [] },
  hasPassphrase: true,
};

const findingsIn = (change: Partial<ServiceFacts>, runner: SocketState = 'live') =>
  serviceChecks({ ...well, ...change }, runner)
    .filter(({ level }) => level !== 'ok')
    .map(({ level, id }) => `${level} ${id}`);

describe('the checks around the runner', () => {
  it('find nothing where all is well, nor where little is set up', () => {
    expect(findingsIn({})).toEqual([]);
    expect(findingsIn({ service: null, door: null, wantsLogind: false })).toEqual([]);
  });

  it.each<[string, Partial<ServiceFacts>, SocketState, readonly string[]]>([
    [
      'a service whose program is gone',
      { service: { file: '/u', gone: ['/n'], isEnabled: true } },
      'live',
      ['danger service'],
    ],
    [
      'a service that does not start by itself',
      { service: { file: '/u', gone: [], isEnabled: false } },
      'live',
      ['warning service'],
    ],
    [
      'a launchd agent, of which files do not say whether it is loaded',
      { service: { file: '/u', gone: [], isEnabled: null } },
      'live',
      [],
    ],
    [
      'a door for nobody',
      { door: { path: '/s', state: 'live', users: 0 } },
      'live',
      ['warning shared-socket'],
    ],
    [
      'a door that is shut while the runner is up',
      { door: { path: '/s', state: 'absent', users: 1 } },
      'live',
      ['danger shared-socket'],
    ],
    [
      'a door that is shut with the runner',
      { door: { path: '/s', state: 'absent', users: 1 } },
      'absent',
      ['warning shared-socket'],
    ],
    [
      'a bus that is dead, where a locked screen locks by default',
      { logindProblem: 'Error connecting.', isLogindAsked: false },
      'live',
      ['warning logind'],
    ],
    ['a bus that is dead', { logindProblem: 'Error connecting.' }, 'live', ['danger logind']],
    [
      'a list of agents that cannot be read',
      { keys: { problem: 'It is empty.', keyed: 0, revoked: [] } },
      'live',
      ['danger keys'],
    ],
    [
      'agents without a key after a lockout',
      { keys: { problem: null, keyed: 0, revoked: ['a'] } },
      'live',
      ['warning keys'],
    ],
    ['no passphrase', { hasPassphrase: false }, 'live', ['warning passphrase']],
  ])('see %s', (_what, change, runner, found) => {
    expect(findingsIn(change, runner)).toEqual(found);
  });
});

describe('what a service starts', () => {
  const odd = { node: '/opt/my node/100%/node', cli: '/a"b\\c/$X/main.js', home: '/h', path: '/p' };

  it('is read from a unit as it was written', () => {
    const unit = systemdUnit('[Service]\nExecStart=x\n', odd);
    expect(wordsOf(unit)).toEqual([
      odd.node,
      '--max-semi-space-size=2',
      odd.cli,
      'runner',
      'INTERLOCK_HOME=/h',
      'PATH=/p',
    ]);
  });

  it('is read from a launchd agent as it was written', () => {
    const template =
      '<key>ProgramArguments</key> <array>\n</array><key>EnvironmentVariables</key> <dict>\n</dict>';
    const plist = launchdPlist(template, { ...odd, home: '/h & <i>' });
    expect(wordsOf(plist)).toEqual([
      odd.node,
      '--max-semi-space-size=2',
      odd.cli,
      'runner',
      '/h & <i>',
      '/p',
    ]);
  });
});
