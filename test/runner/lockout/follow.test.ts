import { expect, it, onTestFinished } from 'vitest';
import { followStopFiles } from '../../../runner/lockout/follow.ts';
import { homePaths, keepStopNote, ownUid } from '../../../shared/home/index.ts';
import { writeInitialStopState } from '../../../shared/home/stop-state.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { temporaryFolder } from '../hosts/support.ts';

it('what another process locked is in the audit log at once, and not at the next look', async () => {
  const paths = homePaths({ INTERLOCK_HOME: temporaryFolder() });
  const uid = ownUid();
  writeInitialStopState(paths, 1);
  const rows: string[] = [];
  const stop = followStopFiles(
    { stops: { look: () => undefined, state: () => ({ mode: 'armed', reason: null }) as never } },
    {
      paths,
      uid,
      // Nobody moves it, so no look comes by itself.
      clock: fakeClock(),
      log: { warn: () => undefined, error: () => undefined },
      audit: { append: (row) => void rows.push(`${row.type} ${'code' in row ? row.code : ''}`) },
    },
  );
  onTestFinished(stop);
  const note = { at: 5, by: 'command line', text: 'The box "fix".' };
  keepStopNote(paths, { ...note, code: 'box-lockout' }, uid);
  await expect.poll(() => rows).toEqual(['note box-lockout-elsewhere']);
  keepStopNote(paths, { ...note, code: 'box-unlock' }, uid);
  await expect.poll(() => rows.length).toBe(2);
});
