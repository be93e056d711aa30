import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { guestOf } from './guest.ts';
import type { Guest } from './guest.ts';
import type { Image } from './image.ts';
import { boot, freshDisk } from './machine.ts';
import type { Machine } from './machine.ts';

/** What became of one step. */
export interface Result {
  readonly scenario: string;
  readonly step: string;
  readonly isGood: boolean;
  readonly seconds: number;
  /** What was seen, or why it failed. */
  readonly said: string;
}

/** One machine on a disk of its own, from the first boot on. */
export interface Stage {
  /** Does one step and notes how it ended; the next one comes in either case. */
  readonly step: (name: string, act: (guest: Guest) => Promise<string | void>) => Promise<void>;
  readonly reboot: () => Promise<void>;
  readonly cutPowerAndBoot: () => Promise<void>;
}

export interface StageOptions {
  readonly folder: string;
  readonly image: Image;
  readonly packages: readonly string[];
  readonly say: (line: string) => void;
}

/** What the machine said of itself before a step failed. A machine that is off says nothing. */
async function keepJournal(guest: Guest, path: string): Promise<void> {
  try {
    writeFileSync(path, await guest.sh('journalctl -b -n 150 --no-pager -o short-precise'));
  } catch {
    writeFileSync(path, 'The journal could not be read.\n');
  }
}

/** Plays a scenario on a fresh machine and gives what became of its steps. */
export async function play(
  scenario: string,
  act: (stage: Stage) => Promise<void>,
  { folder: place, image, packages, say }: StageOptions,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const folder = join(place, scenario);
  mkdirSync(folder, { recursive: true });
  const disks = { root: freshDisk(folder, image), packages };
  const start = async (): Promise<Machine> => boot({ folder, image, disks });
  let machine = await start();
  let guest = guestOf(machine);
  const again = async (stop: () => Promise<void>): Promise<void> => {
    await stop();
    machine = await start();
    guest = guestOf(machine);
  };
  try {
    await act({
      step: async (step, work) => {
        const from = performance.now();
        const note = (isGood: boolean, said: string): void => {
          const seconds = (performance.now() - from) / 1_000;
          results.push({ scenario, step, isGood, seconds, said });
          say(
            `${isGood ? 'ok  ' : 'FAIL'} ${seconds.toFixed(0).padStart(4)} s  ${step}${said === '' ? '' : `: ${said}`}`,
          );
        };
        try {
          note(true, (await work(guest)) ?? '');
        } catch (error) {
          note(false, error instanceof Error ? error.message : String(error));
          await keepJournal(guest, join(folder, `failed-${results.length}.log`));
        }
      },
      reboot: async () => again(machine.shutDown),
      cutPowerAndBoot: async () => again(machine.cutPower),
    });
  } finally {
    await machine.cutPower();
    rmSync(disks.root, { force: true });
  }
  return results;
}
