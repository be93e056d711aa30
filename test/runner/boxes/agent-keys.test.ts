import { describe, expect, it } from 'vitest';
import { commandOf, keyEntries } from '../../../runner/boxes/agent-keys.ts';
import { openSession } from '../../../runner/boxes/tmux.ts';
import { defaultConfig } from '../../../shared/engine/index.ts';
import { canBox, home, inBox } from './support.ts';

const value = 'sk-test $(id) "\'` \\';
const agent = {
  name: 'mine',
  command: ['/bin/sh', '-c', 'echo "$MY_KEY" > /tmp/seen; sleep 600'],
  key: { secret: 'anthropic', variable: 'MY_KEY' },
};

describe('the key of an agent in a box', () => {
  it('is in no command line, and missing or strange ones are said before anything starts', async () => {
    expect(JSON.stringify(openSession([agent], '/w'))).not.toContain(value);
    expect(commandOf({ name: 'a', command: ['x', 'y'] })).toEqual(['x', 'y']);
    await expect(keyEntries([agent], async () => null)).rejects.toThrow('no secret "anthropic"');
    for (const text of ['two\nlines', 'a\0b', ''])
      await expect(keyEntries([agent], async () => text)).rejects.toThrow('not a single line');
    expect(await keyEntries([{ name: 'a', command: ['x'] }], async () => value)).toEqual([]);
  });

  it.runIf(canBox)('is in the environment of that one program, and of no other', async () => {
    const asked: string[] = [];
    const template = { description: 'a', agents: [agent], sandbox: { network: 'none' } } as const;
    const { boxes, records, workspace } = home({
      config: () => ({ ...defaultConfig, boxes: { templates: { mine: template } } }),
      secret: async (name, box) => {
        asked.push(`${box}: ${name}`);
        return Promise.resolve(value);
      },
    });
    await boxes.up({ name: 'one', templateName: 'mine', workspace });
    const seen = async () => inBox(boxes, 'one', 'cat', '/tmp/seen');
    await expect.poll(seen).toEqual({ code: 0, text: value });
    const others = 'env; for each in /proc/[0-9]*; do tr "\\0" "\\n" < $each/cmdline; done';
    expect((await inBox(boxes, 'one', 'sh', '-c', others)).text).not.toContain(value);
    expect((await inBox(boxes, 'one', 'stat', '-c', '%a', '/run/interlock')).text).toBe('700');
    expect(JSON.stringify(records.read('one'))).not.toContain(value.slice(0, 7));
    expect(asked).toEqual(['one: anthropic']);
  });
});
