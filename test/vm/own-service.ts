import { equal, notEqual, ok } from 'node:assert/strict';
import { atTerminal, checkGroups, has, installPackage, lacks, sum, unit } from './guest.ts';
import type { Guest } from './guest.ts';
import type { Stage } from './stage.ts';

const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
const show = async (guest: Guest, what: string): Promise<string> =>
  guest.as('alice', `systemctl --user show -P ${what} ${unit}`);
const isUp = async (guest: Guest): Promise<boolean> =>
  (await guest.tryAs('alice', 'interlock status')).code === 0;
const count = async (guest: Guest, pattern: string): Promise<number> =>
  Number(await guest.sh(`pgrep -c -u alice -f '${pattern}' || true`));

/** The service of one person: `service install`. */
export async function ownService(stage: Stage): Promise<void> {
  await install(stage);
  await lifeOfTheUnit(stage);
  await crashes(stage);
  await loginAndBoot(stage);
  await stops(stage);
  await upgradeAndAway(stage);
}

async function install({ step }: Stage): Promise<void> {
  await step('without a session, install says so and changes nothing', async (guest) => {
    await guest.sh(installPackage('/dev/vdb'));
    await guest.as('alice', 'interlock init');
    const ended = await guest.tryAs('alice', 'interlock service install');
    equal(ended.code, 125);
    has(sum(ended), 'No systemd of yours answers');
    await guest.sh('test ! -e /home/alice/.config/systemd');
  });
  await step('install ends when the runner answers', async (guest) => {
    await guest.logIn('alice');
    await guest.as('alice', 'interlock service install && interlock status', { timeoutMs: 60_000 });
    equal(await show(guest, 'Type'), 'notify');
    equal(await show(guest, 'ActiveState'), 'active');
    equal(await show(guest, 'NRestarts'), '0');
  });
  await step('a restart ends when the runner answers', async (guest) => {
    for (const _ of [1, 2, 3])
      await guest.as('alice', `systemctl --user restart ${unit} && interlock status`);
  });
  await step('install is safe to repeat, and leaves the runner alone', async (guest) => {
    const before = await show(guest, 'MainPID');
    has(await guest.as('alice', 'interlock service install'), 'was as it should be');
    equal(await show(guest, 'MainPID'), before);
  });
}

async function lifeOfTheUnit({ step }: Stage): Promise<void> {
  await step('SIGHUP: each reload ends, and is told in the journal', async (guest) => {
    for (const _ of [1, 2, 3]) await guest.as('alice', `systemctl --user reload ${unit}`);
    await guest.eventually(
      'three lines',
      async () => (await journal(guest)).split('The settings were read again').length > 3,
    );
    equal(await show(guest, 'ActiveState'), 'active');
  });
  await step(
    'SIGHUP with a broken config: an error in the journal, and the runner stays',
    async (guest) => {
      await guest.as(
        'alice',
        'cp .interlock/config.json kept.json; echo "{" > .interlock/config.json',
      );
      await guest.as('alice', `systemctl --user reload ${unit}`);
      await guest.eventually('the error', async () =>
        (await journal(guest, '-p err')).includes('config.json'),
      );
      equal(await show(guest, 'ActiveState'), 'active');
      await guest.as('alice', 'cat kept.json > .interlock/config.json; interlock status');
    },
  );
  await step(
    'commands see no socket of systemd, and cannot speak for the runner',
    async (guest) => {
      await guest.as(
        'alice',
        'interlock approvals allow --exact -- env && interlock approvals allow -- sleep 3000',
      );
      const seen = await guest.as('alice', 'interlock run -- env');
      for (const name of [
        'NOTIFY_SOCKET',
        'WATCHDOG',
        'JOURNAL_STREAM',
        'INVOCATION_ID',
        'MAINPID',
      ])
        lacks(seen, name);
      await guest.as('alice', 'interlock approvals allow -- systemd-notify');
      const before = await show(guest, 'MainPID');
      await guest.tryAs(
        'alice',
        'interlock run -- env NOTIFY_SOCKET=/run/user/1001/systemd/notify systemd-notify WATCHDOG=trigger',
      );
      await guest.sh('sleep 2');
      equal(await show(guest, 'MainPID'), before);
      equal(await show(guest, 'ActiveState'), 'active');
    },
  );
  await step('the journal: one line each, with its priority, and no secret', async (guest) => {
    await guest.tryAs(
      'alice',
      `interlock run -- curl -H 'Authorization: token ${secret}' https://example.invalid`,
    );
    const all = await journal(guest);
    lacks(all, secret);
    lacks(all, 'Ctrl-C');
    lacks(all, '<6>');
    has(await journal(guest, '-p info'), 'Listening on');
    equal(
      all.split('\n').filter((line) => line.includes('isten')).length,
      4,
      'lines about listening',
    );
    lacks(await journal(guest, '-p warning'), 'Listening on');
  });
  await step(
    'the control groups below the unit belong to its user, and the runner sits in a leaf',
    async (guest) => {
      const path = await show(guest, 'ControlGroup');
      return await checkGroups(guest, { path, owner: 'alice', pid: await show(guest, 'MainPID') });
    },
  );
}

async function crashes({ step }: Stage): Promise<void> {
  await step(
    'watchdog: a runner stopped by SIGSTOP is ended and started again, with what it ran',
    async (guest) => {
      await startCommand(guest);
      const before = await show(guest, 'MainPID');
      const from = Date.now();
      await guest.sh(`kill -STOP ${before}`);
      await guest.eventually(
        'another runner',
        async () => !['0', before].includes(await show(guest, 'MainPID')),
        100_000,
      );
      const seconds = Math.round((Date.now() - from) / 1_000);
      await guest.eventually('an answer', async () => isUp(guest));
      equal(await count(guest, '^/usr/bin/sleep 3000'), 0);
      has(await journal(guest), 'Watchdog timeout');
      return `after ${seconds} s`;
    },
  );
  await step('kill -9: the runner is back, and what it ran is gone', async (guest) => {
    await startCommand(guest);
    const before = await show(guest, 'MainPID');
    await guest.sh(`kill -9 ${before}`);
    await guest.eventually('an answer', async () => isUp(guest));
    notEqual(await show(guest, 'MainPID'), before);
    equal(await count(guest, '^/usr/bin/sleep 3000'), 0);
    has(await guest.as('alice', 'interlock audit verify'), 'is what was written');
  });
  await step(
    'crash loop: after five starts a minute it stays down, and lockout works without it',
    async (guest) => {
      await guest.eventually(
        'the limit',
        async () => {
          await guest.sh('pkill -9 -u alice -f "main.js runner" || true');
          return (await show(guest, 'ActiveState')) === 'failed';
        },
        100_000,
      );
      has(await guest.as('alice', 'interlock service status'), 'failed');
      has(await guest.as('alice', atTerminal('interlock passphrase', 2)), 'is set');
      has(await guest.as('alice', 'interlock lockout --reason loop'), 'Locked');
    },
  );
  await step(
    'install lifts the limit and starts it; it is still locked until the passphrase comes',
    async (guest) => {
      await guest.as('alice', 'interlock service install', { timeoutMs: 120_000 });
      has(await guest.as('alice', 'interlock status'), 'LOCKED');
      await guest.as('alice', atTerminal('interlock unlock', 1));
      lacks(await guest.as('alice', 'interlock status'), 'LOCKED');
    },
  );
}

async function loginAndBoot({ step, reboot }: Stage): Promise<void> {
  await step('logout without lingering: a stop in order, and nothing is left', async (guest) => {
    await startCommand(guest);
    await guest.logOut('alice');
    await guest.eventually('nothing of alice', async () => (await count(guest, '.')) === 0, 60_000);
    const said = await guest.sh(
      `journalctl --no-pager -b _UID=1001 USER_UNIT=${unit} + _SYSTEMD_USER_UNIT=${unit} | tail -5`,
    );
    has(said, 'Stopped');
    lacks(said, 'KILL');
    lacks(said, 'timed out');
  });
  await step('login: it starts by itself', async (guest) => {
    await guest.logIn('alice');
    await guest.eventually('an answer', async () => isUp(guest), 60_000);
    has(await guest.as('alice', 'interlock audit verify'), 'is what was written');
  });
  await step('lingering: it starts with the machine, before anybody logs in', async (first) => {
    await first.sh('loginctl enable-linger alice');
    await reboot();
  });
  await step('… and answers there', async (guest) => {
    await guest.eventually('an answer', async () => isUp(guest), 60_000);
    equal(await guest.sh('loginctl --no-legend list-sessions'), '');
  });
}

async function stops({ step }: Stage): Promise<void> {
  await step('the path unit of the flag locks, and clears the flag', async (guest) => {
    await guest.as(
      'alice',
      [
        'mkdir -p Sync .config/systemd/user',
        'cp /usr/local/lib/node_modules/@interlock-gate/interlock/assets/lockout/interlock-flag.* .config/systemd/user/',
        'systemctl --user daemon-reload',
        'systemctl --user enable --now interlock-flag.path',
      ].join(' && '),
    );
    await startCommand(guest);
    const from = Date.now();
    await guest.as('alice', 'touch Sync/interlock-lock');
    await guest.eventually('the lock', async () =>
      (await guest.tryAs('alice', 'interlock status')).stdout.includes('LOCKED'),
    );
    const seconds = Math.round((Date.now() - from) / 1_000);
    await guest.eventually(
      'the flag put away',
      async () =>
        (await guest.tryAs('alice', 'test -e Sync/interlock-lock.done -a ! -e Sync/interlock-lock'))
          .code === 0,
    );
    equal(await count(guest, '^/usr/bin/sleep 3000'), 0);
    return `after ${seconds} s`;
  });
  await step('… and, after an unlock, the next flag locks again', async (guest) => {
    await guest.as('alice', atTerminal('interlock unlock', 1));
    lacks(await guest.as('alice', 'interlock status'), 'LOCKED');
    await guest.as('alice', 'touch Sync/interlock-lock');
    await guest.eventually('the lock', async () =>
      (await guest.tryAs('alice', 'interlock status')).stdout.includes('LOCKED'),
    );
    await guest.as('alice', atTerminal('interlock unlock', 1));
  });
  for (const [how, command] of [
    ['loginctl lock-session', 'loginctl lock-session "$id"'],
    [
      'a LockedHint, as desktops set it',
      'busctl call org.freedesktop.login1 "$(loginctl show-session "$id" -P Name >/dev/null; busctl call org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager GetSession s "$id" | cut -d\\" -f2)" org.freedesktop.login1.Session SetLockedHint b true',
    ],
  ] as const)
    await step(`screen lock over logind locks: ${how}`, async (guest) => {
      await guest.as(
        'alice',
        `echo '{"version":1,"principals":{"trustClaims":true},"lockout":{"onScreenLock":true}}' > .interlock/config.json`,
      );
      await guest.logIn('alice');
      await guest.eventually('it listens', async () => (await count(guest, '^gdbus monitor')) > 0);
      await guest.sh('sleep 3');
      await guest.sh(
        `id=$(loginctl --no-legend list-sessions | awk '$3=="alice"{print $1; exit}'); ${command}`,
      );
      await guest.eventually('the lock', async () =>
        (await guest.tryAs('alice', 'interlock status')).stdout.includes('the screen was locked'),
      );
      await guest.as('alice', atTerminal('interlock unlock', 1));
      await guest.logOut('alice');
    });
}

async function upgradeAndAway({ step }: Stage): Promise<void> {
  await step(
    'an upgrade in place: the old runner serves on, install starts the new one',
    async (guest) => {
      await guest.sh(installPackage('/dev/vdc'));
      await guest.as('alice', 'interlock status');
      const before = await show(guest, 'MainPID');
      await guest.as('alice', 'interlock run -- env');
      has(
        await guest.as('alice', 'interlock service install', { timeoutMs: 120_000 }),
        'started again',
      );
      notEqual(await show(guest, 'MainPID'), before);
      has(await guest.as('alice', 'interlock status'), 'version 0.9.9');
    },
  );
  await step('uninstall: no unit, no process; policy and record stay', async (guest) => {
    await guest.as('alice', 'interlock service uninstall');
    ok(!(await isUp(guest)));
    equal(await count(guest, 'main.js runner'), 0);
    await guest.sh('test -z "$(find /home/alice/.config/systemd -name "interlock-runner*")"');
    has(await guest.as('alice', 'interlock audit verify'), 'is what was written');
  });
}

async function journal(guest: Guest, rest = ''): Promise<string> {
  return guest.as('alice', `journalctl --user -u ${unit} --no-pager -o cat ${rest}`);
}

/** Starts a command through the runner that would run for long, and waits until it does. */
async function startCommand(guest: Guest): Promise<void> {
  await guest.as('alice', 'setsid interlock run -- sleep 3000 > run.log 2>&1 < /dev/null &');
  await guest.eventually(
    'the command',
    async () => (await count(guest, '^/usr/bin/sleep 3000')) > 0,
  );
}
