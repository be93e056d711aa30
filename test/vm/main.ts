import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { table } from '../support/table.ts';
import { buildImage, packageDisk, packagePath } from './image.ts';
import { machineService } from './machine-service.ts';
import { failingDisks } from './disks.ts';
import { hasKvm } from './machine.ts';
import { ownService } from './own-service.ts';
import { powerCuts } from './power.ts';
import { play } from './stage.ts';
import type { Result, Stage } from './stage.ts';

const scenarios: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  own: ownService,
  machine: machineService,
  power: powerCuts,
  disks: failingDisks,
};

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    /** Takes the packages as they were made the last time: to play scenarios side by side. */
    reuse: { type: 'boolean', default: false },
    folder: { type: 'string', default: join(tmpdir(), 'ilvm') },
  },
});
const checkout = resolve(import.meta.dirname, '../../..');
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const wanted = flags.only ?? Object.keys(scenarios);
const { folder } = flags;

mkdirSync(folder, { recursive: true });
say(`Virtual machine: ${hasKvm() ? 'KVM' : 'TCG, which is slow'}; its disks: ${folder}`);
const image = buildImage(folder, checkout);
const packages = [null, '0.9.9'].map((version) =>
  flags.reuse ? packagePath(folder, version) : packageDisk(folder, checkout, version),
);
const results: Result[] = [];
for (const name of wanted) {
  const act = scenarios[name];
  if (act === undefined) throw new Error(`There is no scenario "${name}".`);
  say(`\n— ${name}`);
  results.push(...(await play(name, act, { folder, image, packages, say })));
}
say('');
say(
  table(
    ['what', 'step', 'result', 'seconds'],
    results.map(({ scenario, step, isGood, seconds, said }) => [
      scenario,
      said === '' || !isGood ? step : `${step} (${said})`,
      isGood ? 'ok' : 'FAILED',
      seconds.toFixed(0),
    ]),
  ),
);
const failed = results.filter(({ isGood }) => !isGood).length;
say(`${results.length - failed} of ${results.length} steps hold`);
process.exitCode = failed === 0 ? 0 : 1;
