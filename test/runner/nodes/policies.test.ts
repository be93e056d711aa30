import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createEngine, defaultConfig } from '../../../shared/engine/index.ts';
import type { PolicyDocument, PolicyPatch } from '../../../shared/engine/index.ts';
import { editPolicyFile, openMachine, ownUid, readPolicyFile } from '../../../shared/home/index.ts';
import { refuse } from '../../../shared/base/index.ts';
import type { ToGatewayFrame, ToNodeFrame } from '../../../shared/wire/index.ts';
import { checkAtGateway } from '../../../runner/nodes/gateway-runs.ts';
import { checkAtNode } from '../../../runner/nodes/node-runs.ts';
import { openNodePolicies, openOwnPolicy } from '../../../runner/nodes/policies.ts';
import type { OwnPolicyOptions, PolicyQuestion } from '../../../runner/nodes/policies.ts';
import { fakeClock } from '../../support/fake-clock.ts';

import { memoryLinks } from '../../support/memory-links.ts';

const node = { id: 'b'.repeat(64), displayName: 'build', remoteAddress: null };
const gateway = { id: 'a'.repeat(64), displayName: 'desk', remoteAddress: null };
const policy: PolicyDocument = {
  version: 1,
  socket: { path: '/s', token: 'a token that nobody is shown'.padEnd(43, 'x') },
  agents: { claude: { security: 'allowlist', allowlist: [{ id: 'r1', pattern: '/bin/ls' }] } },
};
const stricter: PolicyPatch = { agents: { claude: { modes: { security: 'deny' } } } };

/** A gateway and a node with a policy of its own, joined by a link on which a test may speak. */
function world(over: Partial<OwnPolicyOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-policies-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'exec-approvals.json');
  writeFileSync(path, JSON.stringify(policy), { mode: 0o600 });
  const uid = ownUid();
  const clock = fakeClock();
  const engine = createEngine(openMachine(process.env, uid), () => defaultConfig);
  const here: string[] = [];
  const there: string[] = [];
  const own = openOwnPolicy({
    clock,
    allowed: () => 'edit',
    read: () => readPolicyFile(path, { uid }),
    edit: async ({ baseHash, patch }, accepted) =>
      editPolicyFile({ path, uid, engine }, { baseHash, patches: [patch], accepted }),
    requireUnlocked: () => undefined,
    record: (code, text) => void there.push(`${code} ${text}`),
    ...over,
  });
  const links = memoryLinks<ToGatewayFrame, ToNodeFrame>({
    checkAtGateway,
    checkAtNode,
    node,
    gateway,
  });
  const policies = openNodePolicies({
    clock,
    linkTo: (id) => (id === node.id && links.atGateway.isOpen ? links.atGateway : null),
    record: (code, text) => void here.push(`${code} ${text}`),
  });
  links.atGateway.onFrame((frame) => {
    if (frame.type === 'policy-answer') policies.answered(links.atGateway, frame);
  });
  const listen = (): void =>
    links.atNode.onFrame((frame) => {
      void own(frame as PolicyQuestion, gateway).then((answer) =>
        links.atNode.send({
          type: 'policy-answer',
          question: (frame as PolicyQuestion).question,
          answer,
        }),
      );
    });
  const text = (): string => readFileSync(path, 'utf8');
  return { policies, links, listen, clock, here, there, text, path };
}

it('shows the policy of a node without its token, and edits it under its hash', async () => {
  const { policies, listen, here, there, text } = world();
  listen();
  const read = await policies.read(node.id);
  expect(read).toMatchObject({ mayEdit: true, document: { agents: policy.agents } });
  expect(JSON.stringify(read)).not.toContain('a token that nobody');
  const edit = { baseHash: read.hash, patch: stricter };
  const saved = await policies.edit(node.id, edit, { accepted: false });
  expect(saved.kind).toBe('saved');
  expect(JSON.parse(text())).toMatchObject({
    socket: policy.socket,
    agents: { claude: { security: 'deny' } },
  });
  expect(await policies.read(node.id)).toMatchObject({ hash: 'hash' in saved && saved.hash });
  expect(here.map((line) => line.split(' ')[0])).toEqual([
    'node-policy-edit',
    'node-policy-edited',
  ]);
  expect(there[0]).toContain(`desk (${gateway.id}) edits the policy ${read.hash}`);
  expect(there[0]).toContain('claude: security "deny"');
  expect(there[1]).toMatch(/^gateway-policy-edited /u);
});

it('writes nothing over a policy that somebody edited there meanwhile', async () => {
  const { policies, listen, path, text } = world();
  listen();
  const { hash } = await policies.read(node.id);
  writeFileSync(path, JSON.stringify({ ...policy, agents: {} }));
  const before = text();
  const edited = await policies.edit(
    node.id,
    { baseHash: hash, patch: stricter },
    { accepted: true },
  );
  expect(edited).toEqual({ kind: 'conflict' });
  expect(text()).toBe(before);
});

it.each([
  ['none', 'read', 'does not show its policy'],
  ['none', 'edit', 'does not let its gateway edit'],
  ['read', 'edit', 'does not let its gateway edit'],
] as const)('with "%s" on the node a gateway may not %s', async (allowed, what, sentence) => {
  const { policies, listen, text, there } = world({ allowed: () => allowed });
  listen();
  const before = text();
  const edit = { baseHash: 'd'.repeat(64), patch: stricter };
  const asked =
    what === 'read' ? policies.read(node.id) : policies.edit(node.id, edit, { accepted: true });
  await expect(asked).rejects.toThrow(sentence);
  expect(text()).toBe(before);
  expect(there[0]).toContain('gateway-policy-refused');
});

it('edits nothing while that machine is locked, its settings cannot be read, or its record is full', async () => {
  const fail = (): never => {
    throw refuse('audit-unavailable', 'No.', 'Look.');
  };
  for (const over of [{ requireUnlocked: fail }, { allowed: fail }, { record: fail }]) {
    const { policies, listen, text } = world(over);
    listen();
    const before = text();
    const { hash } = readPolicyFile(world().path, { uid: ownUid() });
    const edit = { baseHash: hash ?? '', patch: stricter };
    await expect(policies.edit(node.id, edit, { accepted: true })).rejects.toThrow('No.');
    expect(text()).toBe(before);
  }
});

it('tells of rules that can hardly be meant, and saves them once a person means them', async () => {
  const { policies, listen } = world();
  listen();
  const { hash } = await policies.read(node.id);
  const rule = { id: 'r2', pattern: '*' };
  const patch = { agents: { claude: { rules: { insert: [{ at: 1, items: [rule] }] } } } };
  const edit = { baseHash: hash, patch };
  const doubted = await policies.edit(node.id, edit, { accepted: false });
  expect(doubted).toMatchObject({ kind: 'doubts', doubts: [expect.any(String)] });
  expect(await policies.edit(node.id, edit, { accepted: true })).toMatchObject({ kind: 'saved' });
});

it('gives up on a node that says nothing, and takes no answer that nobody waits for', async () => {
  const { policies, links, clock } = world();
  const asked: ToNodeFrame[] = [];
  links.atNode.onFrame((frame) => void asked.push(frame));
  const answer = { kind: 'saved', hash: 'f'.repeat(64) } as const;
  const first = policies.read(node.id);
  const told = expect(first).rejects.toThrow('did not answer');
  clock.advance(15_000);
  await told;
  const second = policies.read(node.id);
  links.atNode.send({ type: 'policy-answer', question: 1, answer });
  links.atNode.send({ type: 'policy-answer', question: 9, answer });
  const wrong = expect(second).rejects.toThrow('something else');
  links.atNode.send({ type: 'policy-answer', question: 2, answer });
  await wrong;
  const third = policies.edit(
    node.id,
    { baseHash: 'd'.repeat(64), patch: {} },
    { accepted: false },
  );
  const cut = expect(third).rejects.toThrow('nobody knows');
  links.cut();
  await cut;
  await expect(policies.read(node.id)).rejects.toThrow('not connected');
});

it('answers no more than a person asks', async () => {
  const { policies, listen, there } = world({ allowed: () => 'none' });
  listen();
  const said = await Promise.all(
    Array.from({ length: 60 }, async () => policies.read(node.id).then(() => '', String)),
  );
  expect(said.filter((text) => text.includes('more often'))).toHaveLength(40);
  expect(there).toHaveLength(5);
});

it('believes no policy of a node that is none', async () => {
  const { policies, links } = world();
  links.atNode.onFrame((frame) => {
    const { question } = frame as PolicyQuestion;
    const text = JSON.stringify({ version: 1, agents: { a: { security: 'whatever' } } });
    const answer = { kind: 'policy', hash: 'a'.repeat(64), text, mayEdit: true } as const;
    links.atNode.send({ type: 'policy-answer', question, answer });
  });
  await expect(policies.read(node.id)).rejects.toThrow('cannot be read here');
});
