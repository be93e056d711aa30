import { describe, expect, it } from 'vitest';
import { completed, parseConfig } from '../../shared/engine/config-schema.ts';
import type { ConfigFile } from '../../shared/engine/config.ts';
import { resolveModes } from '../../shared/engine/policy/resolve.ts';
import type { ForWhom } from '../../shared/engine/policy/resolve.ts';
import type { PolicyDocument } from '../../shared/engine/policy/types.ts';
import { boundModes, resolveRoute, routeBounds, tightest } from '../../shared/engine/routing.ts';
import type { RouteQuestion } from '../../shared/engine/routing.ts';

const main = { agent: 'main' };
const routed = (file: Partial<ConfigFile>, question: Partial<RouteQuestion> = {}) =>
  resolveRoute(completed({ version: 1, ...file }), { ...main, ...question });

/** `host layer setting`, or the sentence of the refusal. */
function hostOf(file: Partial<ConfigFile>, question: Partial<RouteQuestion> = {}): string {
  const answer = routed(file, question);
  if (!answer.ok) return `${answer.problem.code}: ${answer.problem.message}`;
  const { host, wanted } = answer.route;
  return [host.value, wanted ?? '-', host.layer, host.setting].join(' | ');
}

const both: Partial<ConfigFile> = {
  tools: { exec: { host: 'sandbox' } },
  agents: {
    list: [{ id: 'main', tools: { exec: { host: 'gateway' } } }, { id: 'other' }],
  },
};

describe('the host', () => {
  it.each<[string, Partial<ConfigFile>, string]>([
    ['the default', {}, 'gateway | - | built-in | the default'],
    [
      'the setting for all',
      { exec: { host: 'sandbox' } },
      'sandbox | - | global | exec.host of config.json',
    ],
    [
      'the same by its other name',
      { tools: { exec: { host: 'sandbox' } } },
      'sandbox | - | global | tools.exec.host of config.json',
    ],
    [
      'ours where both stand',
      { exec: { host: 'auto' }, tools: { exec: { host: 'sandbox' } } },
      'auto | auto | global | exec.host of config.json',
    ],
    [
      "the agent's entry in the list over what holds for all",
      both,
      'gateway | - | agent | tools.exec.host of "main" in agents.list of config.json',
    ],
    [
      "the agent's own name over its entry in the list",
      { ...both, agents: { ...both.agents, main: { host: 'auto' } } },
      'auto | auto | agent | agents.main.host of config.json',
    ],
  ])('is that of %s', (_, file, expected) => {
    expect(hostOf(file)).toBe(expected);
  });

  it('of another agent is not touched by an entry', () => {
    expect(hostOf(both, { agent: 'other' })).toContain('sandbox | - | global');
  });

  const refused = (run: string, named: string): string =>
    `host-unavailable: Commands of "main" run on the host "${run}", not on "${named}".`;

  it.each<[Partial<ConfigFile>, string, string]>([
    [{}, 'sandbox', refused('gateway', 'sandbox')],
    [{}, 'node', refused('gateway', 'node')],
    [{}, 'moon', refused('gateway', 'moon')],
    [{}, '__proto__', refused('gateway', '__proto__')],
    [{ exec: { host: 'sandbox' } }, 'gateway', refused('sandbox', 'gateway')],
    [{ exec: { host: 'sandbox' } }, 'auto', refused('sandbox', 'auto')],
    [{ exec: { host: 'auto' } }, 'node', refused('auto', 'node')],
    [
      { exec: { host: 'auto', hosts: ['node'] }, agents: { main: { hosts: [] } } },
      'node',
      refused('auto', 'node'),
    ],
  ])('is refused where the settings do not let the request have it: %j, %s', (file, host, said) => {
    expect(hostOf(file, { asked: { host } })).toBe(said);
  });

  it('is the one that a request names, where the settings let it', () => {
    const request = '| - | request | host of the request';
    const exec = { host: 'sandbox', hosts: ['node'] } as const;
    expect(hostOf({ exec }, { asked: { host: 'node' } })).toBe(`node ${request}`);
    const auto = { exec: { host: 'auto' } } as const;
    expect(hostOf(auto, { asked: { host: 'sandbox' } })).toContain('auto | sandbox | global');
    expect(hostOf(auto, { asked: { host: 'gateway' } })).toContain('auto | gateway | global');
  });

  it('is the sandbox for whoever is trusted with nothing more, whatever is set and asked for', () => {
    const exec = { host: 'auto', hosts: ['gateway', 'node'] } as const;
    expect(hostOf({ exec }, { level: 'inner' })).toContain('sandbox | - | trust');
    for (const host of ['auto', 'gateway', 'node'])
      expect(hostOf({ exec }, { level: 'inner', asked: { host } })).toBe(refused('sandbox', host));
  });
});

describe('the node', () => {
  const exec = { host: 'node', node: 'mini' } as const;
  const nodeOf = (file: Partial<ConfigFile>, question: Partial<RouteQuestion> = {}) => {
    const answer = routed(file, question);
    return answer.ok
      ? [answer.route.host.value, answer.route.node.value, answer.route.bound]
      : answer.problem.message;
  };

  it('is the bound one, and a request names no other', () => {
    expect(nodeOf({ exec })).toEqual(['node', 'mini', true]);
    expect(nodeOf({ exec }, { asked: { node: 'mini' } })).toEqual(['node', 'mini', true]);
    expect(nodeOf({ exec }, { asked: { node: 'big' } })).toBe(
      'Commands of "main" are bound to the node "mini", so they do not run on "big".',
    );
  });

  it('may be named by another of its names, where somebody knows that it is one', () => {
    const isSameNode = (asked: string, bound: string): boolean =>
      asked === 'id-7' && bound === 'mini';
    expect(nodeOf({ exec }, { asked: { node: 'id-7' }, isSameNode })).toEqual([
      'node',
      'mini',
      true,
    ]);
  });

  it('is any that a request names where none is bound, and open where none is named', () => {
    const free = { exec: { host: 'node' } } as const;
    expect(nodeOf(free, { asked: { node: 'big' } })).toEqual(['node', 'big', false]);
    expect(nodeOf(free)).toEqual(['node', null, false]);
  });

  it.each(['gateway', 'sandbox', 'auto'] as const)('is refused on the host %s', (host) => {
    expect(nodeOf({ exec: { host, node: 'mini' } }, { asked: { node: 'mini' } })).toBe(
      `Commands of "main" run on the host "${host}", and on no node.`,
    );
  });
});

describe('security and ask of the settings', () => {
  it("are the agent's, else those for all, and name where they stand", () => {
    const config = completed({
      version: 1,
      exec: { security: 'allowlist' },
      agents: { list: [{ id: 'main', tools: { exec: { ask: 'always' } } }] },
    });
    expect(routeBounds(config, 'main')).toMatchObject({
      security: { value: 'allowlist', setting: 'exec.security of config.json' },
      ask: { value: 'always', setting: expect.stringContaining('agents.list') as unknown },
    });
    expect(routeBounds(config, 'other').ask).toBeNull();
  });

  it('hold beside what the request says and what a name that nothing proves would have', () => {
    const config = completed({
      version: 1,
      exec: { security: 'full' },
      agents: { claimed: { security: 'deny' } },
    });
    const who = { agent: '*', claimed: 'claimed', security: 'allowlist' } as const;
    expect(tightest(boundModes(config, who).security)).toBe('deny');
    expect(tightest(boundModes(config, { ...who, claimed: null }).security)).toBe('allowlist');
    expect(tightest([])).toBeUndefined();
  });
});

it.each([
  [{ agents: { main: [{ id: 'a' }] } }, 'agents.main must be an object, not a list.'],
  [{ agents: { list: [{ id: 'a' }, { id: 'a' }] } }, 'two entries with the id "a"'],
  [{ tools: { exec: { hots: 'node' } } }, 'unknown field "hots"'],
  [{ tools: { exec: { host: 'moon' } } }, 'tools.exec.host must be one of'],
])('what is not understood is not a setting: %j', (file, said) => {
  const parsed = parseConfig(JSON.stringify({ version: 1, ...file }));
  expect(parsed.ok ? 'taken' : parsed.problem.message).toContain(said);
});

describe('what holds for a session', () => {
  const raised = { own: {}, raised: { host: 'gateway' } } as const;
  const inBox = { exec: { host: 'sandbox' } } as const;

  it('stands for what a request leaves open, and is no way around what it may not name', () => {
    expect(hostOf(inBox, { override: raised })).toBe('gateway | - | session | the session');
    expect(hostOf(inBox, { override: raised, asked: { host: 'sandbox' } })).toContain(
      'sandbox | -',
    );
    expect(hostOf(inBox, { override: raised, asked: { host: 'node' } })).toContain('not on "node"');
    expect(hostOf(inBox, { override: raised, level: 'inner' })).toContain('sandbox | - | trust');
  });

  it('that no person said yes to brings no host that a request could not have', () => {
    const own = { own: { host: 'gateway' }, raised: {} } as const;
    expect(hostOf(inBox, { override: own })).toContain('host-unavailable');
    expect(hostOf({ exec: { host: 'auto' } }, { override: own })).toContain(
      'auto | gateway | session',
    );
  });

  it('that was raised to one node brings no other', () => {
    const exec = { host: 'sandbox' } as const;
    const override = { own: {}, raised: { host: 'node', node: 'big' } } as const;
    expect(hostOf({ exec }, { override })).toContain('node | - | session');
    expect(hostOf({ exec }, { override, asked: { node: 'big' } })).toContain('node | - | session');
    for (const asked of [{ node: 'other' }, { host: 'node', node: 'other' }])
      expect(hostOf({ exec }, { override, asked })).toContain('host-unavailable');
    const isSameNode = (): boolean => true;
    expect(hostOf({ exec }, { override, asked: { node: 'Big' }, isSameNode })).toContain('node |');
  });

  it('leaves a node bound', () => {
    const exec = { host: 'sandbox', node: 'mini' } as const;
    const override = { own: {}, raised: { host: 'node', node: 'big' } } as const;
    expect(hostOf({ exec }, { override })).toContain('bound to the node "mini"');
  });
});

describe('what holds where several say it', () => {
  const all = { host: 'sandbox', node: 'all', security: 'full', ask: 'off' } as const;
  const own = { host: 'node', node: 'own', security: 'allowlist', ask: 'on-miss' } as const;
  const session = { host: 'sandbox', security: 'deny' } as const;
  const open = { exec: { hosts: ['sandbox', 'gateway', 'node'] } } as const;
  const policy: PolicyDocument = {
    version: 1,
    agents: { main: { security: 'full', ask: 'off' } },
  };
  const list = (exec: object) => ({ agents: { list: [{ id: 'main', tools: { exec } }] } });

  it.each<[string, Partial<ConfigFile>, Partial<ForWhom & RouteQuestion>, string]>([
    ['nothing', {}, {}, 'built-in gateway, agent full, agent off'],
    ['all', { tools: { exec: all } }, {}, 'global sandbox, agent full, agent off'],
    [
      'all, agent',
      { tools: { exec: all }, ...list(own) },
      {},
      'agent node own, agent allowlist, agent on-miss',
    ],
    [
      'all, agent, session',
      { ...open, tools: { exec: all }, ...list(own) },
      { override: { own: session, raised: {} } },
      'session sandbox, session deny, agent on-miss',
    ],
    [
      'all, agent, session, request',
      { ...open, tools: { exec: all }, ...list(own) },
      { override: { own: session, raised: {} }, asked: { host: 'gateway' }, ask: 'always' },
      'request gateway, session deny, request always',
    ],
    [
      'all, request',
      { ...open, tools: { exec: all } },
      { asked: { host: 'gateway' }, security: 'allowlist' },
      'request gateway, request allowlist, agent off',
    ],
    [
      'a request that is looser',
      { tools: { exec: { security: 'allowlist', ask: 'always' } } },
      { security: 'full', ask: 'off' },
      'built-in gateway, global allowlist, global always',
    ],
    [
      'a raised session, and the settings bound it',
      { tools: { exec: { security: 'allowlist' } } },
      { override: { own: { ask: 'always' }, raised: { security: 'full', ask: 'off' } } },
      'built-in gateway, global allowlist, session off',
    ],
    [
      'a raised session, and a request that is stricter',
      {},
      { override: { own: {}, raised: { security: 'full', ask: 'off' } }, ask: 'always' },
      'built-in gateway, session full, request always',
    ],
    [
      'a host that the request may not have',
      { tools: { exec: { host: 'sandbox' } } },
      { asked: { host: 'gateway' } },
      'refused, agent full, agent off',
    ],
  ])('%s', (_, file, who, expected) => {
    const config = completed({ version: 1, ...file });
    const answer = resolveRoute(config, { ...main, ...who });
    const modes = resolveModes(policy, 'main', {
      ...boundModes(config, { ...main, ...who }),
      raised: who.override?.raised,
    });
    const where = answer.ok
      ? [answer.route.host.layer, answer.route.host.value, answer.route.node.value]
          .filter((word) => word !== null)
          .join(' ')
      : 'refused';
    const { security, ask } = modes;
    expect(`${where}, ${security.layer} ${security.value}, ${ask.layer} ${ask.value}`).toBe(
      expected,
    );
  });
});
