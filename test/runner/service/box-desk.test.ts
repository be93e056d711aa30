import { describe, expect, it } from 'vitest';
import { boxDesk } from '../../../runner/service/box-desk.ts';
import { canBox, home, inBox } from '../boxes/support.ts';

/** A desk over a home, with what it notes. */
function desk() {
  const made = home();
  const { options, paths } = made;
  const noted: string[] = [];
  const log = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} };
  const audit = {
    append: (row: object) => void noted.push(JSON.stringify(row)),
  } as unknown as Parameters<typeof boxDesk>[1]['audit'];
  const parts = {
    config: { current: options.config },
    principals: options.principals,
  } as unknown as Parameters<typeof boxDesk>[0];
  const { uid, clock, env } = options;
  const base = { paths, uid, clock, env, log, audit } as unknown as Parameters<typeof boxDesk>[1];
  return { ...made, noted, desk: boxDesk(parts, base) };
}

describe.runIf(canBox)('the boxes of a runner', () => {
  it('are listed, stopped and locked, and none that is not there', async () => {
    const { desk: boxes, boxes: named, workspace, noted } = desk();
    await named.up({ name: 'one', templateName: 'isolated', workspace });
    expect(await boxes.list()).toMatchObject([
      { name: 'one', state: 'running', locked: false, windows: [{ name: 'shell' }] },
    ]);
    const keys = ['send-keys', '-t', 'box:0', 'echo written-$((6*7))', 'Enter'];
    await inBox(named, 'one', 'tmux', '-L', 'interlock', ...keys);
    await expect.poll(() => boxes.tail('one', 'shell').join(' ')).toContain('written-42');
    await boxes.stop('one');
    expect(await boxes.list()).toMatchObject([{ state: 'stopped', windows: null }]);
    await named.start('one');
    expect(await boxes.lock('one', 'it looks odd')).toEqual([]);
    expect(await boxes.list()).toMatchObject([{ state: 'stopped', locked: true }]);
    expect(noted).toEqual([expect.stringContaining('it looks odd')]);
    expect(noted[0]).toContain('box-lockout');
    expect(boxes.tail('one', 'shell').join(' ')).toContain('written-42');
    expect(() => boxes.tail('one', 'later')).toThrow('did not begin with a window "later"');
    expect(() => boxes.tail('two', 'shell')).toThrow('no box "two"');
    for (const work of [boxes.stop('two'), boxes.lock('two', null)])
      await expect(work).rejects.toMatchObject({ refusal: { code: 'invalid-request' } });
  });
});
