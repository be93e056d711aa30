import { equal, notEqual, ok } from 'node:assert/strict';
import {
  atTerminal,
  checkGroups,
  has,
  installPackage,
  lacks,
  passphrase,
  sum,
  unit,
} from './guest.ts';
import type { Guest } from './guest.ts';
import type { Stage } from './stage.ts';

const install = 'interlock service install --system --allow-user alice --allow-user bob';
const longEnough = { timeoutMs: 120_000 };
const show = async (guest: Guest, what: string): Promise<string> =>
  guest.sh(`systemctl show -P ${what} ${unit}`);
const standing = async (guest: Guest): Promise<string> =>
  sum(await guest.asOwner('interlock status'));
const unlock = async (guest: Guest): Promise<void> => {
  await guest.asOwner(atTerminal('interlock unlock', 1));
  lacks(await standing(guest), 'LOCKED');
};

/** The service of the machine: `service install --system`, with two guests and a stranger. */
export async function machineService(stage: Stage): Promise<void> {
  await installed(stage);
  await guests(stage);
  await life(stage);
  await locks(stage);
  await upgradeAndAway(stage);
}

async function installed({ step }: Stage): Promise<void> {
  await step('--dry-run says it all and does nothing', async (guest) => {
    await guest.sh(installPackage('/dev/vdb'));
    has(await guest.as('alice', `${install} --dry-run`), 'RuntimeDirectory=interlock');
    equal(await guest.sh('getent passwd interlock || echo nobody'), 'nobody');
  });
  await step('only root installs, and only what root alone can change', async (guest) => {
    has(sum(await guest.tryAs('alice', install)), 'Only root');
    const file = '/usr/local/lib/node_modules/@interlock-gate/interlock/package.json';
    await guest.sh(`chown alice ${file}`);
    has(await guest.sh(`${install} 2>&1 || true`), 'can be changed by others');
    await guest.sh(`chown root ${file}`);
    equal(await guest.sh('getent passwd interlock || echo nobody'), 'nobody');
  });
  await step(
    'install makes user, group, folders and sockets as written, and it is up',
    async (guest) => {
      await guest.sh(install, longEnough);
      equal(await show(guest, 'ActiveState'), 'active');
      const owners = await guest.sh(
        'stat -c "%n %U:%G %a" /var/lib/interlock /var/lib/interlock/.interlock /run/interlock /run/interlock/runner.sock',
      );
      equal(
        owners,
        [
          '/var/lib/interlock interlock:interlock 700',
          '/var/lib/interlock/.interlock interlock:interlock 700',
          '/run/interlock interlock:interlock-users 750',
          '/run/interlock/runner.sock interlock:interlock-users 660',
        ].join('\n'),
      );
      has(await guest.sh('interlock service status --system'), 'alice (1001), bob (1002)');
    },
  );
  await step(
    'the runner has no capability, gains none, and owns the cgroups below its own',
    async (guest) => {
      const pid = await show(guest, 'MainPID');
      const status = await guest.sh(`cat /proc/${pid}/status`);
      for (const line of [/CapBnd:\s+0{16}/u, /CapEff:\s+0{16}/u, /NoNewPrivs:\s+1/u])
        has(status, line);
      const path = await show(guest, 'ControlGroup');
      const limit = `/sys/fs/cgroup${path}/memory.max`;
      equal(await guest.sh(`stat -c %U ${limit}`), 'root', 'the limit itself stays with root');
      return await checkGroups(guest, { path, owner: 'interlock', pid });
    },
  );
}

async function guests({ step }: Stage): Promise<void> {
  await step(
    'a guest asks and is refused without a rule; with one, it runs as the runner',
    async (guest) => {
      notEqual((await guest.tryAs('alice', 'interlock run -- id -un')).code, 0);
      for (const rule of ['id', 'sleep 3000', 'true'])
        equal((await guest.asOwner(`interlock approvals allow -- ${rule}`)).code, 0);
      equal(await guest.as('alice', 'interlock run -- id -un'), 'interlock');
      equal(await guest.as('bob', 'interlock run -- id -un'), 'interlock');
    },
  );
  await step('a command of a guest may be silent for as long as it likes', async (guest) => {
    equal((await guest.asOwner('interlock approvals allow -- sleep 4')).code, 0);
    await guest.as('alice', 'interlock run -- sleep 4');
  });
  await step('a guest reads neither token nor record, and resumes nothing', async (guest) => {
    for (const path of [
      '/var/lib/interlock/.interlock/config.json',
      '/run/interlock/../../var/lib/interlock',
    ])
      notEqual((await guest.tryAs('alice', `ls ${path}`)).code, 0);
    equal((await guest.tryAs('alice', 'interlock pause')).code, 0);
    const tried = await guest.tryAs('alice', 'interlock resume');
    notEqual(tried.code, 0, sum(tried));
    has(await standing(guest), /paused/iu);
    equal((await guest.asOwner('interlock resume')).code, 0);
  });
  await step('a stranger does not reach the socket', async (guest) => {
    notEqual((await guest.tryAs('mallory', 'interlock run -- id -un')).code, 0);
    notEqual((await guest.tryAs('mallory', 'ls /run/interlock')).code, 0);
  });
  await step(
    'a stranger in the group is turned away with a code, and told of in the journal',
    async (guest) => {
      await guest.sh('usermod --append --groups interlock-users mallory');
      const tried = await guest.tryAs('mallory', 'interlock run --json -- id -un');
      notEqual(tried.code, 0);
      has(sum(tried), 'hmac-fail');
      has(
        await guest.sh(`journalctl -u ${unit} -p warning --no-pager -o cat`),
        'User 1003 knocked',
      );
    },
  );
}

async function life({ step, reboot }: Stage): Promise<void> {
  await step('kill -9: runner, folder and socket are back', async (guest) => {
    const before = await show(guest, 'MainPID');
    await guest.sh(`kill -9 ${before}`);
    await guest.eventually(
      'an answer to a guest',
      async () => (await guest.tryAs('alice', 'interlock run -- true')).code === 0,
    );
    notEqual(await show(guest, 'MainPID'), before);
  });
  await step('reload: told in the journal, and the doors stay open', async (guest) => {
    await guest.sh(`systemctl reload ${unit}`);
    await guest.eventually('the line', async () =>
      (await guest.sh(`journalctl -u ${unit} --no-pager -o cat`)).includes(
        'The settings were read again',
      ),
    );
    equal(await guest.as('alice', 'interlock run -- id -un'), 'interlock');
  });
  await step('watchdog: a runner stopped by SIGSTOP is ended and started again', async (guest) => {
    const before = await show(guest, 'MainPID');
    await guest.sh(`kill -STOP ${before}`);
    await guest.eventually(
      'another runner',
      async () => !['0', before].includes(await show(guest, 'MainPID')),
      100_000,
    );
    await guest.eventually(
      'an answer to a guest',
      async () => (await guest.tryAs('alice', 'interlock run -- true')).code === 0,
    );
  });
  await step(
    'crash loop: it stays down, guests are refused, and install starts it again',
    async (guest) => {
      await guest.eventually(
        'the limit',
        async () => {
          await guest.sh('pkill -9 -u interlock -f "main.js runner" || true');
          return (await show(guest, 'ActiveState')) === 'failed';
        },
        100_000,
      );
      notEqual((await guest.tryAs('alice', 'interlock run -- true')).code, 0);
      await guest.sh(install, longEnough);
      equal(await guest.as('alice', 'interlock run -- id -un'), 'interlock');
    },
  );
  await step('it starts with the machine', async () => reboot());
  await step('… and answers guests before anybody logs in', async (guest) => {
    await guest.eventually(
      'an answer to a guest',
      async () => (await guest.tryAs('bob', 'interlock run -- true')).code === 0,
      60_000,
    );
    equal(await guest.sh('loginctl --no-legend list-sessions'), '');
  });
}

async function locks({ step }: Stage): Promise<void> {
  await step('a lockout of one guest stops what the other runs', async (guest) => {
    has(sum(await guest.asOwner(atTerminal('interlock passphrase', 2))), 'is set');
    await guest.as('bob', 'setsid interlock run -- sleep 3000 > run.log 2>&1 < /dev/null &');
    await guest.eventually(
      'the command',
      async () =>
        (await guest.sh('pgrep -c -u interlock -f "^/usr/bin/sleep 3000" || true')) === '1',
    );
    has(await guest.as('alice', 'interlock lockout --reason enough'), 'Locked');
    await guest.eventually(
      'its end',
      async () => (await guest.sh('pgrep -c -f "^/usr/bin/sleep 3000" || true')) === '0',
    );
    notEqual((await guest.tryAs('bob', 'interlock run -- true')).code, 0);
    await unlock(guest);
  });
  await step('screen lock: of a guest it locks, of a stranger it does not', async (guest) => {
    const config = '/var/lib/interlock/.interlock/config.json';
    const on = `const fs=require("fs");const c=JSON.parse(fs.readFileSync("${config}"));c.lockout={onScreenLock:true};fs.writeFileSync("${config}",JSON.stringify(c))`;
    equal((await guest.asOwner(`node -e '${on}'`)).code, 0);
    await guest.eventually(
      'it listens',
      async () => (await guest.sh('pgrep -c -u interlock -f "^gdbus monitor" || true')) !== '0',
    );
    await guest.sh('sleep 3');
    for (const person of ['mallory', 'alice'] as const) {
      await guest.logIn(person);
      await guest.sh(
        `loginctl lock-session "$(loginctl --no-legend list-sessions | awk '$3=="${person}"{print $1; exit}')"`,
      );
      if (person === 'mallory') {
        await guest.sh('sleep 8');
        lacks(await standing(guest), 'LOCKED');
      } else
        await guest.eventually('the lock', async () =>
          (await standing(guest)).includes('the screen was locked'),
        );
      await guest.logOut(person);
    }
    await unlock(guest);
  });
  await step('the passphrase stands nowhere', async (guest) => {
    equal(await guest.sh(`grep -rl '${passphrase}' /var/lib/interlock || true`), '');
  });
}

async function upgradeAndAway({ step }: Stage): Promise<void> {
  await step('an upgrade in place, and install starts the new one', async (guest) => {
    await guest.sh(installPackage('/dev/vdc'));
    await guest.as('alice', 'interlock run -- true');
    await guest.sh(install, longEnough);
    has(await standing(guest), 'version 0.9.9');
    has(sum(await guest.asOwner('interlock audit verify')), 'is what was written');
  });
  await step(
    'uninstall: no unit, no process, no socket; user, policy and record stay',
    async (guest) => {
      await guest.sh('interlock service uninstall --system', longEnough);
      equal(await guest.sh('pgrep -c -u interlock || true'), '0');
      await guest.sh(`test ! -e /run/interlock -a ! -e /etc/systemd/system/${unit}`);
      ok((await guest.sh('ls /var/lib/interlock/.interlock/audit')).length > 0);
    },
  );
}
