import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startRunnerProcess } from '../runner/service/support.ts';
import {
  handOn,
  interlock,
  lock,
  redeem,
  throughHook,
  ticketIn,
  untilAsked,
} from './support/acts.ts';
import type { Agent } from './support/agent.ts';
import type { Stage, StageOptions } from './support/stage.ts';

/** One story with an agent in it. Each ends with what ran and what is on record. */
export interface Scenario {
  readonly name: string;
  readonly stage?: StageOptions;
  readonly play: (stage: Stage, agent: Agent) => Promise<void>;
  /** Whether it turns on the words of the host. */
  readonly words?: true;
  readonly ran: 0 | 1;
  readonly recorded: readonly string[];
}

const executed = ['starting', 'executed 0'];
const rule = { id: 'r1', pattern: 'mktemp' };

export const scenarios: readonly Scenario[] = [
  {
    name: 'allowed by a rule: it runs, once',
    words: true,
    stage: { policy: { allowlist: [rule] } },
    play: async (stage, agent) => {
      await startRunnerProcess(stage.paths);
      await throughHook(stage, agent);
      const found = interlock(stage, ['audit', 'search', '--agent', agent.host, '--json']);
      expect(found).toMatch(/^0 .*mktemp/);
      expect(found).toContain('rule-allow');
      expect(interlock(stage, ['audit', 'verify'])).toMatch(/^0 /);
    },
    ran: 1,
    recorded: ['allow rule-allow by policy', ...executed],
  },
  {
    name: 'denied by a rule',
    words: true,
    stage: { policy: { security: 'full', allowlist: [{ ...rule, effect: 'deny' }] } },
    play: async (stage, agent) => {
      await startRunnerProcess(stage.paths);
      await throughHook(stage, agent);
    },
    ran: 0,
    recorded: ['deny policy-deny by policy'],
  },
  {
    name: 'a person says yes',
    play: async (stage, agent) => {
      const { approver, hook, started } = await untilAsked(stage, agent);
      approver.decide(await approver.next('ask'), { decision: 'allow-once' });
      await handOn(hook);
      await started.ended;
    },
    ran: 1,
    recorded: ['allow allow-once by person', ...executed],
  },
  {
    name: 'a person says no',
    play: async (stage, agent) => {
      const { approver, hook, started } = await untilAsked(stage, agent);
      approver.decide(await approver.next('ask'), { decision: 'deny' });
      await handOn(hook);
      await started.ended;
    },
    ran: 0,
    recorded: ['deny confirm-rejected by person'],
  },
  {
    name: 'nobody answers in time',
    stage: { askTimeoutMs: 1_000 },
    play: async (stage, agent) => {
      const { hook, started } = await untilAsked(stage, agent);
      await handOn(hook);
      await started.ended;
    },
    ran: 0,
    recorded: ['deny approval-timeout by policy'],
  },
  {
    name: 'no runner is there',
    words: true,
    stage: { policy: { security: 'full', ask: 'off' } },
    play: async (stage, agent) => {
      await throughHook(stage, agent);
    },
    ran: 0,
    recorded: [],
  },
  {
    name: 'the approver goes away while it asks',
    play: async (stage, agent) => {
      const { approver, hook, started } = await untilAsked(stage, agent);
      await approver.next('ask');
      await approver.leave();
      await handOn(hook);
      await started.ended;
    },
    ran: 0,
    recorded: ['deny approver-unavailable by policy'],
  },
  {
    name: 'the runner is killed while a person is asked',
    play: async (stage, agent) => {
      const { approver, hook, started, runner } = await untilAsked(stage, agent);
      await approver.next('ask');
      await runner.kill('SIGKILL');
      await handOn(hook);
      await started.ended;
      await startRunnerProcess(stage.paths);
    },
    ran: 0,
    recorded: [],
  },
  {
    name: 'the runner is killed between the answer and the start',
    stage: { policy: { allowlist: [rule] } },
    play: async (stage, agent) => {
      const runner = await startRunnerProcess(stage.paths);
      const started = await agent.start(stage);
      const hook = await stage.tap.next();
      await hook.answered;
      await runner.kill('SIGKILL');
      await startRunnerProcess(stage.paths);
      hook.handOn();
      await started.ended;
    },
    ran: 0,
    recorded: [
      'allow rule-allow by policy',
      'not-executed stale-on-recovery',
      'deny stale-on-recovery by policy',
    ],
  },
  {
    name: 'the hook is killed while a person is asked',
    words: true,
    play: async (stage, agent) => {
      const { approver, hook, started } = await untilAsked(stage, agent);
      const { ask } = await approver.next('ask');
      process.kill(hook.pid, 'SIGKILL');
      expect(await approver.next('withdraw')).toMatchObject({ id: ask.id });
      await handOn(hook);
      await started.ended;
    },
    ran: 0,
    recorded: ['deny requester-gone by policy'],
  },
  {
    name: 'a ticket is used again',
    stage: { policy: { allowlist: [rule] } },
    play: async (stage, agent) => {
      await startRunnerProcess(stage.paths);
      const ticket = await throughHook(stage, agent);
      expect(redeem(stage, ticket, stage.work)).toMatch(/^126 .*replay-detected/);
    },
    ran: 1,
    recorded: ['allow rule-allow by policy', ...executed, 'deny replay-detected by policy'],
  },
  {
    name: 'a ticket is used for another command, and from another folder',
    stage: { policy: { allowlist: [rule] } },
    play: async (stage, agent) => {
      await startRunnerProcess(stage.paths);
      const started = await agent.start(stage);
      const hook = await stage.tap.next();
      const ticket = ticketIn((await hook.answered).stdout);
      expect(redeem(stage, ticket, stage.work, '--', 'mktemp', '-d')).toMatch(/^125 /);
      const elsewhere = join(stage.folder, 'elsewhere');
      mkdirSync(elsewhere);
      expect(redeem(stage, ticket, elsewhere)).toMatch(/^126 .*binding-drift/);
      // Spent by the attempt: whoever tried must not be able to try again.
      hook.handOn();
      await started.ended;
    },
    ran: 0,
    recorded: [
      'allow rule-allow by policy',
      'not-executed binding-drift',
      'deny replay-detected by policy',
    ],
  },
  {
    name: 'everything is locked while a person is asked',
    play: async (stage, agent) => {
      const { approver, hook, started } = await untilAsked(stage, agent);
      await approver.next('ask');
      await lock(stage);
      await handOn(hook);
      await started.ended;
    },
    ran: 0,
    recorded: ['deny lockout-active by policy'],
  },
  {
    name: 'everything is locked between the answer and the start',
    stage: { policy: { allowlist: [rule] } },
    play: async (stage, agent) => {
      await startRunnerProcess(stage.paths);
      const started = await agent.start(stage);
      const hook = await stage.tap.next();
      await hook.answered;
      await lock(stage);
      hook.handOn();
      await started.ended;
    },
    ran: 0,
    recorded: [
      'allow rule-allow by policy',
      'not-executed lockout-active',
      'deny lockout-active by policy',
    ],
  },
];
