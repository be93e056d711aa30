import { expect, test } from 'vitest';
import { boxLocks } from '../../../runner/boxes/locks.ts';
import { openBoxRecords } from '../../../runner/boxes/record.ts';
import { auditRows, endOf, exec, makeHome, startApprover, startRunnerProcess } from './support.ts';

test('what waits in the name of a box ends at once when the box is locked, and says why', async () => {
  const paths = await makeHome();
  const approver = await startApprover(paths);
  await startRunnerProcess(paths);
  const request = { argv: ['touch', '/nowhere/x'] };
  const ofBox = exec(paths, { ...request, agent: 'box-fix' });
  const ofBoxAsked = await approver.next('ask');
  const other = exec(paths, { ...request, agent: 'box-other' });
  const otherAsked = await approver.next('ask');
  const uid = process.getuid?.() ?? 0;
  // As the command line locks one, in another process and without the runner.
  boxLocks(openBoxRecords(paths.boxesDirectory, uid), uid).close('fix', {
    at: 0,
    reason: 'it looks odd',
    by: 'terminal',
  });
  const events = await ofBox.done;
  expect(endOf(events)).toBe('lockout-active');
  expect(JSON.stringify(events)).toContain('The box \\"fix\\" is locked: it looks odd.');
  expect(await approver.next('withdraw')).toMatchObject({
    id: ofBoxAsked.ask.id,
    reason: 'box-lockout',
  });
  expect(auditRows(paths).filter(({ type }) => type === 'decision')).toMatchObject([
    { decision: 'deny', code: 'lockout-active' },
  ]);
  // What others ask goes on.
  approver.decide(otherAsked, { decision: 'deny' });
  expect(endOf(await other.done)).toBe('confirm-rejected');
});
