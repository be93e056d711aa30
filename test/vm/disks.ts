import { equal, notEqual } from 'node:assert/strict';
import { has, installPackage, sum } from './guest.ts';
import type { Guest } from './guest.ts';
import type { Stage } from './stage.ts';

/** The emergency stop where the home lies on a disk of its own that fails. */
export async function failingDisks(stage: Stage): Promise<void> {
  await stage.step('the service is up, with its home on an ext4 of its own', async (guest) => {
    await guest.sh(installPackage('/dev/vdb'));
    await guest.logIn('alice');
    await freshHome(guest);
    await guest.as('alice', 'interlock service install', { timeoutMs: 120_000 });
    await guest.as('alice', 'interlock approvals allow -- sleep 3000');
  });
  await stage.step('full disk: lockout stops the command, and it is locked', async (guest) => {
    await startSleeper(guest);
    const fill = 'of=.interlock/filler oflag=append conv=notrunc status=none';
    for (const size of ['64k', '1k'])
      await guest.tryAs('alice', `dd if=/dev/zero ${fill} bs=${size}`);
    equal(await guest.sh('df --output=avail /home/alice/.interlock | tail -1 | tr -d " "'), '0');
    has(await guest.as('alice', 'interlock lockout --reason full'), 'Locked');
    await refusesAndRests(guest);
  });
  await stage.step('… and still is with room again, after a restart', async (guest) => {
    await guest.as('alice', 'rm .interlock/filler');
    await guest.as('alice', 'systemctl --user restart interlock-runner');
    await refusesAndRests(guest);
  });
  await stage.step('a fresh home on such a disk', async (guest) => {
    await guest.as('alice', 'systemctl --user stop interlock-runner');
    await freshHome(guest);
    await guest.as('alice', 'systemctl --user start interlock-runner');
    await guest.as('alice', 'interlock approvals allow -- sleep 3000');
    await startSleeper(guest);
  });
  await stage.step(
    'read-only after an error of ext4: lockout stops the command and is refused from then on',
    async (guest) => {
      await guest.sh('mount -o remount,abort /home/alice/.interlock');
      await guest.eventually('read-only', async () => {
        const tried = await guest.tryAs('alice', 'touch .interlock/probe');
        return sum(tried).includes('Read-only');
      });
      const locked = await guest.tryAs('alice', 'interlock lockout --reason read-only');
      await refusesAndRests(guest);
      return `code ${locked.code}: ${sum(locked).split('\n')[0] ?? ''}`;
    },
  );
}

async function freshHome(guest: Guest): Promise<void> {
  await guest.sh(
    [
      'umount /home/alice/.interlock 2>/dev/null || true',
      'truncate --size=0 /home.ext4',
      'truncate --size=24M /home.ext4',
      'mkfs.ext4 -q -m 0 /home.ext4',
      'install -d -o alice -g alice -m 0700 /home/alice/.interlock',
      'mount -o loop /home.ext4 /home/alice/.interlock',
      'rmdir /home/alice/.interlock/lost+found',
      'chown alice:alice /home/alice/.interlock',
      'chmod 0700 /home/alice/.interlock',
    ].join(' && '),
  );
  await guest.as('alice', 'interlock init');
}

async function startSleeper(guest: Guest): Promise<void> {
  await guest.as('alice', 'setsid interlock run -- sleep 3000 > run.log 2>&1 < /dev/null &');
  await guest.eventually('the command', async () => (await sleepers(guest)) === '1');
}

async function refusesAndRests(guest: Guest): Promise<void> {
  await guest.eventually('the end of the command', async () => (await sleepers(guest)) === '0');
  const tried = await guest.tryAs('alice', 'interlock run -- sleep 3000');
  notEqual(tried.code, 0);
  has(sum(tried), /lockout-active|Locked|locked/u);
}

async function sleepers(guest: Guest): Promise<string> {
  return guest.sh('pgrep -c -u alice -f "^/usr/bin/sleep 3000" || true');
}
