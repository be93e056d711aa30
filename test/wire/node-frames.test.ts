import { expect, it } from 'vitest';
import { compile } from '../../shared/base/index.ts';
import { maxRelayedAskLength, toGatewaySchema, toNodeSchema } from '../../shared/wire/index.ts';
import type { NodeTask, ToGatewayFrame, ToNodeFrame } from '../../shared/wire/index.ts';
import { maxFrameBytes } from '../../runner/nodes/link.ts';

const checkAtNode = compile(toNodeSchema);
const checkAtGateway = compile(toGatewaySchema);
const digest = 'd'.repeat(64);
const task: NodeTask = {
  id: 'a1',
  agent: 'claude',
  isNamed: true,
  argv: ['make', 'all'],
  cwd: '/srv/build',
  timeoutMs: 60_000,
  security: 'allowlist',
  ask: 'on-miss',
};
const silence = { stdout: '', stderr: '', truncated: false, tail: '' };

it.each<ToNodeFrame>([
  { type: 'run', run: 1, digest, task },
  { type: 'recall', run: 1, digest },
  { type: 'cancel', run: 1, digest },
  { type: 'settled', run: 3, floor: 2 },
  { type: 'lockout', order: 1, reason: null },
  { type: 'policy-read', question: 1 },
  { type: 'policy-edit', question: 2, edit: { baseHash: digest, patch: {} }, accepted: false },
  { type: 'ask-told', question: 1, told: { kind: 'shown' } },
  {
    type: 'ask-told',
    question: 1,
    told: { kind: 'answer', digest, said: 'no', by: 'in the app', note: 'Not now.' },
  },
])('says $type to a node, and nothing beside it', (frame) => {
  expect(checkAtNode(frame).ok).toBe(true);
  expect(checkAtNode({ ...frame, from: 'me' }).ok).toBe(false);
  expect(checkAtGateway(frame).ok).toBe(false);
});

it.each<ToGatewayFrame>([
  { type: 'started', run: 1, digest },
  { type: 'locked', order: 1 },
  { type: 'policy-answer', question: 1, answer: { kind: 'conflict' } },
  { type: 'ask', question: 1, run: 1, leftMs: 60_000, text: '{}' },
  { type: 'ask-over', question: 1 },
  { type: 'end', run: 1, digest, end: { kind: 'unknown' } },
  {
    type: 'end',
    run: 1,
    digest,
    end: {
      kind: 'done',
      outcome: { kind: 'ran', exitCode: null, signal: 'SIGTERM', durationMs: 5, ...silence },
    },
  },
])('says $type to a gateway, and nothing beside it', (frame) => {
  expect(checkAtGateway(frame).ok).toBe(true);
  expect(checkAtGateway({ ...frame, from: 'me' }).ok).toBe(false);
});

it('takes no task that names no agent, stands in no folder, or would loosen what it runs under', () => {
  const refused = [
    { ...task, cwd: 'build' },
    { ...task, host: 'gateway' },
    { ...task, node: 'build' },
    { ...task, agent: 'a b' },
    { ...task, security: 'off' },
    { ...task, argv: ['a\0b'] },
    { ...task, stdin: 'not base64!' },
  ];
  for (const each of refused)
    expect(checkAtNode({ type: 'run', run: 1, digest, task: each }).ok).toBe(false);
});

it('knows no answer of a gateway that lasts, and none that names no text', () => {
  const answer = { kind: 'answer', digest, said: 'yes', by: 'in the app' };
  const told = (changed: object) =>
    checkAtNode({ type: 'ask-told', question: 1, told: { ...answer, ...changed } }).ok;
  expect(told({})).toBe(true);
  for (const changed of [
    { said: 'allow-always' },
    { said: 'allow-once' },
    { remember: { duration: 'always', proposalId: 'exact' } },
    { assertion: {} },
    { digest: undefined },
    { digest: 'd' },
    { kind: 'shown' },
  ])
    expect(told(changed)).toBe(false);
});

it('fits the longest ask into a frame, and into one of the app', () => {
  const text = '\u0001'.repeat(maxRelayedAskLength);
  const frame: ToGatewayFrame = { type: 'ask', question: 1, run: 1, leftMs: 1, text };
  expect(checkAtGateway(frame).ok).toBe(true);
  expect(Buffer.byteLength(JSON.stringify(frame))).toBeLessThan(maxFrameBytes);
  expect(checkAtGateway({ ...frame, text: `${text} ` }).ok).toBe(false);
});

it('fits the longest output into a frame, however its signs are written', () => {
  const frame: ToGatewayFrame = {
    type: 'end',
    run: Number.MAX_SAFE_INTEGER,
    digest,
    end: {
      kind: 'done',
      outcome: {
        kind: 'ran',
        exitCode: 0,
        signal: null,
        durationMs: 1,
        stdout: '\u0001'.repeat(200_000),
        stderr: '',
        truncated: true,
        tail: '\u0001'.repeat(20_000),
      },
    },
  };
  expect(checkAtGateway(frame).ok).toBe(true);
  expect(Buffer.byteLength(JSON.stringify(frame))).toBeLessThan(maxFrameBytes);
});
