import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { systemNames } from '../../../runner/cli/service/system-plan.ts';
import { doStep, installPlan, uninstallPlan } from '../../../runner/cli/service/system-plan.ts';
import type { SystemFacts } from '../../../runner/cli/service/system-plan.ts';
import { isWritableByOthers } from '../../../runner/cli/service/rooted.ts';
import { stepLines } from '../../../runner/cli/service/system-plan.ts';
import { packageRoot } from '../cli/support.ts';

const template = readFileSync(
  `${packageRoot}/assets/service/system/interlock-runner.service`,
  'utf8',
);
const planned = (facts: Partial<SystemFacts> = {}) =>
  installPlan({
    names: systemNames,
    facts: { hasGroup: false, hasAccount: false, unit: null, ...facts },
    users: [
      { name: 'alice', uid: 1001 },
      { name: 'bob', uid: 1002 },
    ],
    template,
    node: '/usr/bin/node',
    cli: '/opt/inter lock/main.js',
  });
const said = (facts: Partial<SystemFacts> = {}): readonly string[] =>
  planned(facts).map((step) => stepLines(step)[0] ?? '');

describe('the plan of a runner with a user of its own', () => {
  it('makes user and group, then home, settings and unit, and starts it last', () => {
    const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    const as = `run     runuser -u interlock -- /usr/bin/env -i HOME=/var/lib/interlock PATH=${path} /usr/bin/node '/opt/inter lock/main.js'`;
    expect(said()).toEqual([
      'run     groupadd --system interlock-users',
      "run     useradd --system --user-group --no-create-home --home-dir /var/lib/interlock --shell /usr/sbin/nologin --comment 'Interlock runner' interlock",
      'run     usermod --append --groups interlock-users interlock',
      'run     usermod --append --groups interlock-users alice',
      'run     usermod --append --groups interlock-users bob',
      'make    /var/lib/interlock  (0700, interlock)',
      `${as} init --json`,
      `${as} service share --socket /run/interlock/runner.sock --group interlock-users --uid 1001 --uid 1002`,
      'write   /etc/systemd/system/interlock-runner.service  (0644, root)',
      'run     systemctl daemon-reload',
      'run     systemctl enable --now interlock-runner.service',
    ]);
  });

  it('makes nothing twice, and starts a runner anew that is there', () => {
    const again = said({ hasGroup: true, hasAccount: true, unit: 'old' });
    expect(again.filter((line) => /useradd|groupadd/u.test(line))).toEqual([]);
    expect(again.slice(-3)).toEqual([
      'run     systemctl reset-failed interlock-runner.service',
      'run     systemctl enable --now interlock-runner.service',
      'run     systemctl restart interlock-runner.service',
    ]);
  });

  it('goes on where there is no failure to forget, and stops where anything else fails', async () => {
    const run = async () => ({ ok: false, missing: false, said: 'Unit not loaded.' });
    const idsOf = async () => ({ uid: 1, gid: 1 });
    const steps = planned({ unit: 'old' }).filter(({ kind }) => kind === 'run');
    const forget = steps.filter((step) => stepLines(step)[0]?.includes('reset-failed') === true);
    expect(forget).toHaveLength(1);
    for (const step of steps) {
      const done = doStep(step, { run, idsOf });
      if (forget.includes(step)) await expect(done).resolves.toBeUndefined();
      else await expect(done).rejects.toThrow('Unit not loaded.');
    }
  });

  it('puts this installation into the unit and keeps its hardening', () => {
    const unit = planned().find((step) => step.kind === 'write');
    expect(unit?.kind === 'write' && unit.text).toContain(
      'ExecStart="/usr/bin/node" "--max-semi-space-size=2" "/opt/inter lock/main.js" "runner"\nEnvironment="INTERLOCK_HOME=/var/lib/interlock/.interlock"',
    );
    for (const line of ['User=interlock', 'NoNewPrivileges=yes', 'CapabilityBoundingSet='])
      expect(unit?.kind === 'write' && unit.text.split('\n')).toContain(line);
  });

  it('removes the unit, and neither the user nor what is his', () => {
    expect(uninstallPlan({ names: systemNames }).map((step) => stepLines(step)[0])).toEqual([
      'run     systemctl disable --now interlock-runner.service',
      'remove  /etc/systemd/system/interlock-runner.service',
      'run     systemctl daemon-reload',
    ]);
  });
});

it.each([
  [0, 0o100755, false],
  [0, 0o100775, true],
  [0, 0o40777, true],
  [1000, 0o100755, true],
])('code of user %i with mode %o can be changed by others: %s', (uid, mode, expected) => {
  expect(isWritableByOthers({ uid, mode })).toBe(expected);
});
