import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Analyser } from '../../../shared/engine/plan/analyse.ts';
import { loadAnalyser } from '../../support/analyser.ts';
import { boundedSlice } from '../../support/bounded-slice.ts';
import { whichSlice } from '../../support/slice-of-commit.ts';
import { compareChunk, describeFailures, emptyTally } from './compare.ts';
import { makeFarm, type Farm } from './farm.ts';

/**
 * Each run takes one slice of 20,000 lines, commit after commit the next: `FUZZ_SLICE=3` is one of
 * them again. `FUZZ_LINES=1000000 FUZZ_SEED=7 npx vitest run test/fuzz/differential` is a longer or
 * another look, from the first line on.
 */
const all = 20_000;
const sliced = boundedSlice(1_000, all);
const given = process.env['FUZZ_LINES'];
const wanted = Number(given ?? sliced);
const seed = Number(process.env['FUZZ_SEED'] ?? 1);
const chunk = 1000;
const chunks = Math.ceil(wanted / chunk);
const slices = Math.ceil(all / sliced);
const slice = given !== undefined ? 0 : whichSlice(slices, 'FUZZ_SLICE');
const firstChunk = slice * Math.ceil(sliced / chunk);

const tally = emptyTally();
let analyser: Analyser;
/** Two at a time: the shells wait for their children most of the time. */
let farms: readonly Farm[] = [];

beforeAll(async () => {
  analyser = await loadAnalyser();
  farms = [makeFarm(), makeFarm()];
});

afterAll(() => {
  for (const farm of farms) farm.remove();
  const reasons = [...tally.reasons]
    .toSorted((a, b) => b[1] - a[1])
    .map(([reason, count]) => `${reason} ${count}`);
  console.log(
    `differential: slice ${slice} of ${slices}, ${tally.generated} lines, ${tally.opaque} opaque, ${tally.skipped} not run; ` +
      `compared ${tally.bash} under bash, ${tally.dash} under dash; ${tally.programs} programs ran\n` +
      `opaque: ${reasons.join(', ')}`,
  );
});

test(
  `${chunks * chunk} random lines and their renderings run the same programs with the same words`,
  async () => {
    let next = firstChunk;
    const failed = (): number =>
      [...tally.failures.values()].reduce((sum, { count }) => sum + count, 0);
    const work = async (farm: Farm): Promise<void> => {
      while (next < firstChunk + chunks && failed() < 1000)
        await compareChunk({
          analyser,
          farm,
          seed: seed * 1_000_003 + next++,
          count: chunk,
          tally,
        });
    };
    await Promise.all(farms.map(work));
    expect(describeFailures(tally), `FUZZ_SLICE=${slice} FUZZ_SEED=${seed}`).toBe('');
    expect(tally.bash).toBeGreaterThan(wanted / 10);
    expect(tally.dash).toBeGreaterThan(wanted / 20);
  },
  Math.max(600_000, wanted * 60),
);
