import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Analyser } from '../../../../shared/engine/plan/analyse.ts';
import { loadAnalyser } from '../../../support/analyser.ts';
import { boundedSlice } from '../../../support/bounded-slice.ts';
import { whichSlice } from '../../../support/slice-of-commit.ts';
import { compareChunk, describeFailures, emptyTally } from './compare.ts';
import { sources } from './lines.ts';
import { clear, makeYard, prepare, trace, whyNot } from './run.ts';
import type { Yard } from './run.ts';

/**
 * Each run takes one slice of 20,000 lines, commit after commit the next: `TRACE_SLICE=3` is one of
 * them again. `TRACE_LINES=20000 TRACE_SEED=7` is a longer or another look, from the first line on.
 */
const size = 250;
const all = 20_000;
const sliced = boundedSlice(1_000, 500_000);
const given = process.env['TRACE_LINES'];
const wanted = Number(given ?? sliced);
const seed = Number(process.env['TRACE_SEED'] ?? 1);
const slices = Math.ceil(all / sliced);
const slice = given !== undefined || sliced >= all ? 0 : whichSlice(slices, 'TRACE_SLICE');
const firstChunk = slice * Math.ceil(sliced / size);
const chunks = firstChunk + Math.ceil(wanted / size);
const reason = whyNot();
if (reason !== null) console.warn(`NOT TESTED: what programs really do, because ${reason}`);

const tally = emptyTally();

describe.skipIf(reason !== null)('lines made from the grammars, run on the real programs', () => {
  let analyser: Analyser;
  let yard: Yard;

  beforeAll(async () => {
    analyser = await loadAnalyser();
    yard = makeYard();
  });

  afterAll(() => {
    yard.remove();
    const { generated, asked, ran, understood, ended } = tally;
    console.log(
      `tracing: slice ${slice} of ${slices}, ${generated} lines, ${asked} ask, ${ran} ran, ${understood} with success, ${ended} were ended`,
    );
  });

  it('are seen in all that they do', async () => {
    const id = 9_999_999;
    await prepare(yard, [{ id, program: 'sh' }]);
    const words = 'canary; : >../out/new; rm -r d; mv a.txt x; cat link; curl -s 127.0.0.1:9';
    const done = (await trace(yard, [{ id, text: `sh -c '${words}'` }])).get(id);
    const seen = (done?.happened ?? []).map((one) =>
      one.kind === 'reach' ? one.kind : `${one.kind} ${one.path.replace(yard.place(id), '{R}')}`,
    );
    clear(yard, [id]);
    expect(seen).toEqual(
      expect.arrayContaining([
        `start ${yard.root}/bin/canary`,
        'write {R}/out/new',
        'delete {R}/work/d/sub/f.txt',
        'delete {R}/work/a.txt',
        'write {R}/work/x',
        'read {R}/out/secret.txt',
        'reach',
      ]),
    );
    expect(done?.status).toBe(7);
  });

  it(
    'start, write, delete and reach nothing, and read nothing outside, that the analysis did not say',
    async () => {
      const from = sources();
      let next = firstChunk;
      const work = async (): Promise<void> => {
        while (next < chunks && tally.failures.size < 200) {
          const at = next++;
          const place = { seed: seed * 1_000_003 + at, count: size, firstId: at * size };
          await compareChunk({ analyser, yard, from, tally, ...place });
        }
      };
      // Two at a time: each waits for its programs most of the time.
      await Promise.all([work(), work()]);
      expect(describeFailures(tally), `TRACE_SLICE=${slice} TRACE_SEED=${seed}`).toBe('');
      expect(tally.ran).toBeGreaterThan(wanted * 0.6);
      expect(tally.understood).toBeGreaterThan(wanted / 5);
    },
    Math.max(300_000, wanted * 60),
  );
});
