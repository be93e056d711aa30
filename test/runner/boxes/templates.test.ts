import { describe, expect, it, test } from 'vitest';
import { parseConfig } from '../../../shared/engine/config-schema.ts';
import { boxTemplates } from '../../../shared/agents/index.ts';
import {
  defaultConfig,
  egressFor,
  noOverrides,
  sandboxFor,
  withBoxes,
} from '../../../shared/engine/index.ts';
import { openSession, readWindows } from '../../../runner/boxes/tmux.ts';

function parsed(templates: unknown) {
  return parseConfig(JSON.stringify({ version: 1, boxes: { templates } }));
}

const one = { description: 'mine', agents: [{ name: 'a', command: ['/usr/bin/a', '-x'] }] };

describe('templates of config.json', () => {
  it('stand beside those that ship, and take the place of one of their name', () => {
    const file = parsed({ mine: one, claude: one });
    const all = file.ok ? boxTemplates(file.config) : {};
    expect(Object.keys(all).toSorted()).toEqual(['claude', 'isolated', 'mine', 'multi']);
    expect(all['claude']?.description).toBe('mine');
  });

  it.each([
    ['a field that is not known', { mine: { ...one, netwrok: 'none' } }],
    ['a network that there is not', { mine: { ...one, sandbox: { network: 'some' } } }],
    ['a name that is none', { 'Mine!': one }],
    ['a program of no words', { mine: { ...one, agents: [{ name: 'a', command: [] }] } }],
    ['two agents of one name', { mine: { ...one, agents: [...one.agents, ...one.agents] } }],
    ['a host that is not understood', { mine: { ...one, egress: { allow: ['http://x/y'] } } }],
  ])('are refused with %s', (_, templates) => {
    expect(parsed(templates).ok).toBe(false);
  });

  it('that ship pass the same check, and have of each agent its program and its hosts', () => {
    const all = boxTemplates(defaultConfig);
    expect(parsed(all).ok).toBe(true);
    expect(all['multi']?.agents.map(({ command }) => command)).toEqual([
      ['claude'],
      ['codex'],
      ['gemini'],
    ]);
    for (const host of ['api.anthropic.com', 'api.openai.com', 'oauth2.googleapis.com'])
      expect(all['multi']?.egress?.allow).toContain(host);
    expect(all['claude']?.egress?.allow).not.toContain('api.openai.com');
  });
});

test('a box is an agent with the policy of its template, its own network, and what the configuration says of it', () => {
  const { isolated } = boxTemplates(defaultConfig);
  if (isolated === undefined) throw new Error('it ships');
  const template = { ...isolated, sandbox: { memory: '1G' }, egress: { allow: ['a.example'] } };
  const config = withBoxes(
    { ...defaultConfig, agents: { 'box-x': { sandbox: { memory: '3G', network: 'full' } } } },
    new Map([['x', { template, network: 'restricted' }]]),
  );
  expect(sandboxFor(config, 'box-x', noOverrides)).toMatchObject({
    memory: '3G',
    network: 'restricted',
  });
  expect(egressFor(config, 'box-x').allow).toEqual(['a.example']);
  expect(egressFor(config, 'other').allow).toEqual(defaultConfig.egress.allow);
});

test('no word of an agent is read by a shell or taken for a command of tmux', () => {
  const words = openSession([{ name: 'a', command: ['x y;', ';', '$(id)'] }], '/w');
  expect(words).toContain('x y\\;');
  expect(words.join('\n')).toContain('--\n/usr/bin/env\n--\nx y\\;\n\\;\n$(id)\n');
});

test('what tmux says of windows is read, and nothing else', () => {
  expect(readWindows('0 0 2 claude\n1 1 2 shell\nno server running\n')).toEqual({
    attached: 2,
    windows: [
      { index: 0, name: 'claude', hasEnded: false },
      { index: 1, name: 'shell', hasEnded: true },
    ],
  });
});
