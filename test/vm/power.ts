import { equal, ok } from 'node:assert/strict';
import { atTerminal, has, installPackage, lacks, sum, unit } from './guest.ts';
import type { Guest } from './guest.ts';
import type { Stage } from './stage.ts';

/** Three clients that ask without a pause, and say the id of each command once it was answered. */
const load =
  'for i in 1 2 3; do (while r=$(interlock run --json -- true); do grep -o \'"id": "[^"]*"\' <<< "$r"; done) & done; wait';

interface Row {
  readonly type: string;
  readonly id?: string;
  readonly code?: string;
}

/** Power that goes away under load, and what the record says after the next start. */
export async function powerCuts(stage: Stage): Promise<void> {
  await stage.step('the service of the machine is up', async (guest) => {
    await guest.sh(installPackage('/dev/vdb'));
    await guest.sh('interlock service install --system --allow-user alice', { timeoutMs: 120_000 });
    for (const rule of ['true', 'sleep 3000'])
      equal((await guest.asOwner(`interlock approvals allow -- ${rule}`)).code, 0);
    has(sum(await guest.asOwner(atTerminal('interlock passphrase', 2))), 'is set');
    await guest.sh('sync');
  });
  for (const answers of [5, 23]) await cutUnderLoad(stage, answers);
  await cutAfterLockout(stage);
}

async function cutUnderLoad({ step, cutPowerAndBoot }: Stage, answers: number): Promise<void> {
  const answered = new Set<string>();
  await step(`power gone after ${answers} answers, with commands under way`, async (guest) => {
    await startSleeper(guest);
    const enough = new Promise<void>((resolve) => {
      void guest
        .tryAs('alice', load, {
          timeoutMs: 600_000,
          onOutput: (text) => {
            for (const [, id = ''] of text.matchAll(/"id": "([^"]*)"/gu)) answered.add(id);
            if (answered.size >= answers) resolve();
          },
        })
        .catch(() => undefined);
    });
    await enough;
    await cutPowerAndBoot();
    return `${answered.size} answered`;
  });
  await step('… the runner is up, and the record is whole', async (guest) => {
    await guest.eventually(
      'an answer',
      async () => (await guest.tryAs('alice', 'interlock run -- true')).code === 0,
      60_000,
    );
    const verified = await guest.asOwner('interlock audit verify');
    equal(verified.code, 0, sum(verified));
    has(sum(verified), 'The log is what was written');
    return sum(verified).split('\n')[0] ?? '';
  });
  await step(
    '… every answered command has its decision, start and outcome there; what was under way is closed',
    async (guest) => {
      const text = (await guest.asOwner('interlock audit export')).stdout;
      const rows = JSON.parse(text) as readonly Row[];
      const idsOf = (type: string): ReadonlySet<string | undefined> =>
        new Set(rows.filter((row) => row.type === type).map(({ id }) => id));
      const [decided, started, ended] = [idsOf('decision'), idsOf('starting'), idsOf('outcome')];
      const lost = [...answered].filter((id) => !decided.has(id) || !started.has(id));
      equal(lost.join(' '), '', 'answered, and not in the record');
      const endless = [...answered].filter((id) => !ended.has(id));
      equal(endless.join(' '), '', 'answered, and without an end');
      const open = rows.filter(
        ({ type, id, code }) => type === 'decision' && code === 'rule-allow' && !ended.has(id),
      );
      equal(open.map(({ id }) => id).join(' '), '', 'decided, and never closed');
      has(await guest.sh(`journalctl -b -u ${unit} --no-pager -o cat`), 'of an earlier runner');
      return `${rows.length} rows`;
    },
  );
}

async function cutAfterLockout({ step, cutPowerAndBoot }: Stage): Promise<void> {
  await step('power gone the moment a lockout is confirmed', async (guest) => {
    await startSleeper(guest);
    await guest.as('alice', 'interlock lockout --reason storm');
    await cutPowerAndBoot();
  });
  await step('… it is still locked, for that reason, and the record is whole', async (guest) => {
    await guest.eventually(
      'the runner',
      async () => (await guest.asOwner('interlock status')).code === 0,
      60_000,
    );
    const standing = sum(await guest.asOwner('interlock status'));
    has(standing, 'LOCKED');
    has(standing, 'storm');
    ok((await guest.tryAs('alice', 'interlock run -- true')).code !== 0);
    equal((await guest.asOwner('interlock audit verify')).code, 0);
  });
  await step('… and the passphrase unlocks it', async (guest) => {
    await guest.asOwner(atTerminal('interlock unlock', 1));
    lacks(sum(await guest.asOwner('interlock status')), 'LOCKED');
    equal((await guest.tryAs('alice', 'interlock run -- true')).code, 0);
  });
}

async function startSleeper(guest: Guest): Promise<void> {
  await guest.as('alice', 'setsid interlock run -- sleep 3000 > run.log 2>&1 < /dev/null &');
  await guest.eventually(
    'the command',
    async () => (await guest.sh('pgrep -c -u interlock -f "^/usr/bin/sleep 3000" || true')) === '1',
  );
}
