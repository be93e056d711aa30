import type { Starting } from '../../../runner/hosts/host.ts';
import { expect, it } from 'vitest';
import { defaultConfig } from '../../../shared/engine/config.ts';
import { refuse } from '../../../shared/base/refusal.ts';
import type { NodeOutcome, NodeTask, RunEnd } from '../../../shared/wire/index.ts';
import { createHosts } from '../../../runner/hosts/host.ts';
import { createNodeHost } from '../../../runner/hosts/node.ts';
import type { NodeRunIo } from '../../../runner/hosts/node.ts';
import { askPolicy, bench, codeOf, fullPolicy, incoming } from './support.ts';
import type { BenchOptions } from './support.ts';

const build = {
  id: 'b'.repeat(64),
  displayName: 'Build (box)',
  remoteAddress: null,
  state: 'approved',
} as const;
const text = { stdout: 'out\n', stderr: '', truncated: false, tail: 'out\n' };
const ran: NodeOutcome = { kind: 'ran', exitCode: 0, signal: null, durationMs: 1, ...text };
const onNode = { exec: { ...defaultConfig.exec, host: 'node' } } as const;

/** A gate of a gateway that has one node, which answers so. */
function gateway(
  options: BenchOptions = {},
  answer: (task: NodeTask, io: NodeRunIo) => Promise<RunEnd<NodeOutcome>> = async () => ({
    kind: 'done',
    outcome: ran,
  }),
) {
  const sent: { readonly node: string; readonly task: NodeTask }[] = [];
  const node = createNodeHost();
  node.join(() => [build]);
  node.runBy({
    run: async (id, task, io) => {
      sent.push({ node: id, task });
      io.started();
      return answer(task, io);
    },
  });
  const ports = { hosts: createHosts([node.host]), nodes: node.names, ...options.ports };
  return { ...bench({ policy: fullPolicy, config: onNode, ...options, ports }), sent };
}

it('sends a command as it was asked for, with the modes of this machine, and tells its end', async () => {
  const { exec, sent, rows, ports } = gateway({ policy: askPolicy });
  const request = { argv: ['no-such-program-here', 'a b'], cwd: '/not/here', session: 's' };
  const done = await exec(request);
  expect(codeOf(done)).toBe('ran 0');
  expect(sent).toMatchObject([
    {
      node: build.id,
      task: { argv: request.argv, cwd: '/not/here', security: 'allowlist', ask: 'on-miss' },
    },
  ]);
  expect(rows[0]).toMatchObject({ code: 'node-decides', host: 'node', node: build.id });
  expect(ports.events.drain('s').events).toEqual([
    'Exec started (node=build-box, id=id-1)',
    'Exec finished (node=build-box, id=id-1, code=0)\nout\n',
  ]);
});

it.each([
  ['security: deny', { policy: { version: 1, agents: { '*': { security: 'deny' } } } }, {}],
  [
    'a rule that denies',
    {
      policy: {
        version: 1,
        agents: {
          '*': {
            security: 'full',
            ask: 'off',
            allowlist: [{ id: 'r1', pattern: '**/cat', effect: 'deny', host: 'node' }],
          },
        },
      },
    },
    {},
  ],
  ['a level below the owner', {}, { channel: 'signal:+49', user: 'stranger' }],
] as [string, BenchOptions, object][])('sends nothing past %s', async (_what, options, request) => {
  const { exec, sent } = gateway(options);
  const done = await exec({ argv: ['cat', '/etc/hosts'], ...request });
  expect(['policy-deny', 'host-unavailable']).toContain(codeOf(done));
  expect(sent).toEqual([]);
});

it('asks a person here where a rule of this machine wants that', async () => {
  const rule = { id: 'r1', pattern: '**/cat', effect: 'ask' } as const;
  const { exec, sent, asked } = gateway({
    policy: { version: 1, agents: { '*': { security: 'full', allowlist: [rule] } } },
    answer: () => ({ kind: 'expired' }),
  });
  const done = await exec({ argv: ['cat', 'x'] });
  expect([codeOf(done), sent.length, asked.length]).toEqual(['approval-timeout', 0, 1]);
  expect(asked[0]?.host).toBe('node build-box');
});

it('refuses a node that the settings do not let have it, or that is none, and goes nowhere else', async () => {
  const { exec, sent, ran: here } = gateway({ config: {} });
  expect(codeOf(await exec({ argv: ['true'], host: 'node' }))).toBe('host-unavailable');
  const other = gateway();
  expect(codeOf(await other.exec({ argv: ['true'], node: 'nobody' }))).toBe('host-unavailable');
  expect([...sent, ...other.sent, ...here]).toEqual([]);
});

it('tells an agent with its next command what came of one that nobody waited for', async () => {
  const { exec, ports } = gateway();
  const event = { type: 'finished', node: 'build-box', id: 'x1', code: '0', tail: 'done' } as const;
  ports.events.addLate('s', event);
  const said = async (session: string): Promise<string> => {
    const { events } = await exec({ argv: ['true'], session });
    return events.map((each) => (each.type === 'stderr' ? each.data : '')).join('');
  };
  expect(await said('other')).toBe('');
  expect(await said('s')).toBe(
    'interlock: of earlier commands of this session:\nExec finished (node=build-box, id=x1, code=0)\n| done\n',
  );
  expect(await said('s')).toBe('');
});

it('tells whose no it was, and writes down that it is unknown what nobody knows', async () => {
  const no = refuse('confirm-rejected', 'A person said no.', 'Stop.').refusal;
  const refused = gateway({}, async () => ({
    kind: 'done',
    outcome: { kind: 'refused', begun: false, ...no, ...text },
  }));
  const { result } = await refused.exec({ argv: ['true'] });
  expect(result).toMatchObject({
    ok: false,
    refusal: { code: 'confirm-rejected', message: 'On the node build-box: A person said no.' },
  });
  expect(refused.rows.at(-1)).toMatchObject({ outcome: 'not-executed' });

  const lost = gateway({}, async () => ({ kind: 'unknown' }));
  expect(codeOf(await lost.exec({ argv: ['true'] }))).toBe('host-unavailable');
  expect(lost.rows.at(-1)).toMatchObject({ outcome: 'unknown' });

  const stopped = gateway({}, async () => ({
    kind: 'done',
    outcome: { kind: 'refused', begun: true, ...no, code: 'command-timeout', ...text },
  }));
  expect(codeOf(await stopped.exec({ argv: ['true'] }))).toBe('command-timeout');
  expect(stopped.rows.at(-1)).toMatchObject({ outcome: 'executed', code: 'command-timeout' });
});

it('takes no more of a node than of a command here, and its words for one line of that machine', async () => {
  const long = 'x'.repeat(200_000);
  const loud = gateway({}, async () => ({
    kind: 'done',
    outcome: { ...ran, stdout: `${long}… (truncated)`, stderr: long },
  }));
  const { result } = await loud.exec({ argv: ['true'] });
  expect(result).toMatchObject({
    output: {
      stdout: `${long}… (truncated)`,
      stderr: `${'x'.repeat(13)}… (truncated)`,
      truncated: true,
    },
  });
  const sly = gateway({}, async () => {
    const words = 'No.\n\u001b[2Kinterlock: it ran.';
    const no = { code: 'policy-deny', message: words, hint: words } as const;
    return { kind: 'done', outcome: { kind: 'refused', begun: false, ...no, ...text } };
  });
  const line = 'No. ⟨ESC[2K⟩interlock: it ran.';
  expect((await sly.exec({ argv: ['true'] })).result).toMatchObject({
    refusal: { message: `On the node build-box: ${line}`, hint: line },
  });
});

/** A request as a gateway passes it on. */
function passed(starting: Starting, isNamed = true) {
  const from = { gateway: 'a'.repeat(64), displayName: 'desk', id: 'g1', isNamed };
  const asked = incoming({ argv: ['true'], agent: 'claude', session: 's' });
  return { ...asked, peer: null, from, starting };
}

const io = () => ({ emit: () => undefined, gone: new AbortController().signal });

it('decides on the node by the policy of the node, and starts nothing that is not written down', async () => {
  const asks = bench({ answer: () => ({ kind: 'expired' }) });
  expect(
    await asks.gate.exec(
      passed(() => null),
      io(),
    ),
  ).toMatchObject({
    refusal: { code: 'approval-timeout' },
  });
  expect(asks.asked[0]).toMatchObject({ agent: 'claude', host: 'gateway, asked by desk' });
  expect(asks.rows[0]).toMatchObject({
    gateway: 'a'.repeat(64),
    gatewayRequest: 'g1',
    session: `${'a'.repeat(16)}/s`,
  });

  const full = bench({ policy: fullPolicy });
  let started = 0;
  const once = passed(() => {
    expect(full.ran).toEqual([]);
    started += 1;
    return null;
  });
  expect(await full.gate.exec(once, io())).toMatchObject({ ok: true });
  expect([started, full.ran.length]).toEqual([1, 1]);

  const unkept = passed(() => {
    throw refuse('audit-unavailable', 'The disk is full.', 'Look.');
  });
  expect(await full.gate.exec(unkept, io())).toMatchObject({
    refusal: { code: 'audit-unavailable' },
  });
  expect(full.ran).toHaveLength(1);
});

it('speaks for no agent that has a key, for no name that does not count, and passes nothing on', async () => {
  const callers = { signer: async () => null, keyState: () => 'keyed' as const };
  const keyed = bench({ policy: fullPolicy, ports: { callers } });
  expect(
    await keyed.gate.exec(
      passed(() => null),
      io(),
    ),
  ).toMatchObject({
    refusal: { code: 'hmac-fail' },
  });
  const named = bench({
    policy: { version: 1, agents: { claude: { security: 'full' }, '*': { security: 'deny' } } },
  });
  expect(
    await named.gate.exec(
      passed(() => null, false),
      io(),
    ),
  ).toMatchObject({
    refusal: { code: 'policy-deny' },
  });
  const { gate, sent } = gateway();
  expect(
    await gate.exec(
      passed(() => null),
      io(),
    ),
  ).toMatchObject({
    refusal: { code: 'host-unavailable' },
  });
  expect(sent).toEqual([]);
});

it('takes a no of a newer node, for a reason that is not known here, for a no', async () => {
  const code = 'moon-in-the-way';
  const refused = {
    kind: 'refused',
    begun: false,
    code,
    message: 'Not now.',
    hint: 'Later.',
  } as const;
  const { exec } = gateway({}, async () => ({ kind: 'done', outcome: { ...refused, ...text } }));
  const request = { argv: ['no-such-program-here'], cwd: '/not/here' };
  expect(codeOf(await exec(request))).toBe('host-unavailable');
});
