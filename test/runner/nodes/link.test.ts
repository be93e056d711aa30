import { expect, it } from 'vitest';
import { compile, s } from '../../../shared/base/index.ts';
import { maxFrameBytes } from '../../../runner/nodes/link.ts';
import type { LinkEnd, NodeLink } from '../../../runner/nodes/link.ts';
import { memoryLinks } from '../../support/memory-links.ts';

const check = compile(s.object({ say: s.string() }));
interface Say {
  readonly say: string;
}

function linked() {
  const links = memoryLinks<Say, Say>({ checkAtGateway: check, checkAtNode: check });
  const heard: string[] = [];
  const ends: LinkEnd[] = [];
  links.atGateway.onClose((end) => ends.push(end));
  const listen = (): void => links.atGateway.onFrame(({ say }) => heard.push(say));
  return { ...links, heard, ends, listen };
}

const settled = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('carries frames whole and in order, also those that came before anybody read', async () => {
  const on = linked();
  for (const say of ['a', 'b', 'c']) expect(on.atNode.send({ say })).toBe(true);
  await settled();
  on.listen();
  on.atNode.send({ say: 'd' });
  await settled();
  expect(on.heard).toEqual(['a', 'b', 'c', 'd']);
  expect(on.atGateway.peer.displayName).toBe('build');
});

it.each([
  ['another field', '{"say":"x","from":"other-node"}'],
  ['another shape', '{"run":1}'],
  ['a field twice', '{"say":"x","say":"y"}'],
  ['no JSON', 'say'],
  ['nothing', ''],
  ['more than a frame may have', JSON.stringify({ say: 'x'.repeat(maxFrameBytes) })],
])('ends over what is not a frame: %s', async (_, text) => {
  const on = linked();
  on.listen();
  on.inject('gateway', text);
  on.inject('gateway', '{"say":"after"}');
  await settled();
  expect(on.ends.map(({ code }) => code)).toEqual(['bad-frame']);
  expect(on.heard).toEqual([]);
  expect(on.atNode.isOpen).toBe(false);
});

it('ends where a reader throws, and reads nothing that came after', async () => {
  const on = linked();
  let read = 0;
  on.atGateway.onFrame(() => {
    read += 1;
    throw new Error('the disk is full');
  });
  on.atNode.send({ say: 'a' });
  on.atNode.send({ say: 'b' });
  await settled();
  expect(read).toBe(1);
  expect(on.ends).toEqual([
    { code: 'reader-failed', detail: 'What came could not be taken up: the disk is full' },
  ]);
  expect(on.atNode.send({ say: 'c' })).toBe(false);
});

it('loses what is under way when it is cut, tells both ends once, and tells late askers at once', async () => {
  const on = linked();
  on.listen();
  on.atNode.send({ say: 'lost' });
  on.cut();
  on.cut();
  on.atGateway.close('Too late.');
  await settled();
  expect(on.heard).toEqual([]);
  expect(on.ends.map(({ code }) => code)).toEqual(['lost']);
  const late: LinkEnd[] = [];
  on.atNode.onClose((end) => late.push(end));
  expect(late.map(({ code }) => code)).toEqual(['lost']);
});

it('ends when one side takes nothing up, rather than keep all of it', async () => {
  const flood = (link: NodeLink<Say, Say>): number => {
    let sent = 0;
    while (sent < 100 && link.send({ say: 'x'.repeat(1024 * 1024) })) sent += 1;
    return sent;
  };
  const held = linked();
  held.hold('gateway');
  expect(flood(held.atNode)).toBe(15);
  const unread = linked();
  for (let n = 0; n < 20; n += 1) {
    unread.atNode.send({ say: 'x'.repeat(1024 * 1024) });
    await settled();
  }
  expect(unread.ends.map(({ code }) => code)).toEqual(['backlog']);
});
