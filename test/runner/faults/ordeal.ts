import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeOpenDecisions } from '../../../runner/audit/recover.ts';
import type { AuditRow } from '../../../runner/audit/rows.ts';
import { createHosts } from '../../../runner/hosts/host.ts';
import type { StopState } from '../../../shared/home/stop-state.ts';
import type { PolicyDocument } from '../../../shared/engine/policy/types.ts';
import { desk } from '../approvals/support.ts';
import { bench, codeOf } from '../gate/support.ts';
import { gateway, temporaryFolder } from '../hosts/support.ts';
import { stepPorts } from './step-ports.ts';
import type { Step } from './step-ports.ts';

/**
 * What can go wrong while a request is on its way. A runner that is killed is played here: from that
 * moment nothing it does has an effect, and then the real recovery reads the rows. Real ones are
 * killed in test/audit/crash-runner, test/runner/recovery and test/runner/orphans.
 */
export const faults = [
  'runner killed',
  'approver killed',
  'disk full',
  'file vanished',
  'clock set forward',
  'clock set back',
  'duplicate answer',
  'late answer',
  'signal storm',
  'lockout',
] as const;
export type Fault = (typeof faults)[number];

/** What became of one request. */
export interface Verdict {
  /** The caller's word: `ran 0`, or the code of the refusal. */
  readonly end: string;
  /** How often the command really ran, by the lines that it wrote. */
  readonly ran: number;
  /** The rows of the log, in short: `allow`, `deny CODE`, `starting`, and the outcome. */
  readonly rows: readonly string[];
  /** Whether the operator was told that a row could not be written. */
  readonly toldOfRows: boolean;
}

const day = 86_400_000;
/** Longer than a person has for an answer. */
const patience = 6_000;

/** Asks a person about everything; with nobody there the fallback lets it run. */
const policy = (askFallback: 'deny' | 'full'): PolicyDocument => ({
  version: 1,
  agents: { '*': { security: 'full', ask: 'always', askFallback, askTimeoutMs: 5_000 } },
});

/** One request through the real gate, with the fault at the step. Host, script and files are real. */
export async function ordeal(fault: Fault, at: Step): Promise<Verdict> {
  const folder = temporaryFolder();
  const script = join(folder, 'tool');
  const proof = join(folder, 'proof');
  writeFileSync(script, `#!/bin/sh\necho ran >> ${proof}\n`, { mode: 0o755 });
  const person = desk();
  const isFallback = at === 'fall-back';
  let state: StopState = { mode: 'armed', reason: null };
  let isFull = false;
  let isDead = false;
  const request = new AbortController();
  const inject = (): void => {
    if (fault === 'runner killed') {
      isDead = true;
      request.abort();
      throw new Error('killed');
    }
    if (fault === 'approver killed') {
      person.leave();
      person.crash();
    } else if (fault === 'disk full') isFull = true;
    else if (fault === 'file vanished') renameSync(script, `${script}.gone`);
    else if (fault === 'clock set forward') person.clock.jump(day);
    else if (fault === 'clock set back') person.clock.jump(-day);
    else if (fault === 'lockout') {
      state = { mode: 'locked', reason: 'drill' };
      world.ports.inFlight.stopAll('lockout');
    } else if (fault === 'signal storm')
      for (let count = 0; count < 20; count += 1) {
        world.ports.inFlight.stopAll('runner-stopping');
        world.ports.inFlight.stopWaiting('pause');
      }
    else answerAll();
  };
  /** Yes to everything that was ever asked: to what is over, and once more to what is not. */
  const answerAll = (): void => {
    for (const { ask, digest } of person.asked)
      person.pending.answer({ id: ask.id, askDigest: digest, decision: 'allow-once' }, 'app');
  };
  const base = bench({ policy: policy(isFallback ? 'full' : 'deny'), stop: () => state });
  const { ports, visit } = stepPorts(base, {
    at,
    inject,
    isFull: () => isFull,
    isDead: () => isDead,
  });
  const world = bench({
    policy: policy(isFallback ? 'full' : 'deny'),
    stop: () => state,
    ports: {
      ...ports,
      clock: person.clock,
      hosts: createHosts([visit.host(gateway())]),
      approver: visit.approver(person.approver),
    },
  });

  if (fault === 'late answer') await unanswered(world, person, visit);
  if (isFallback) {
    person.leave();
    person.crash();
  }
  const before = base.rows.length;
  const ending = world.exec({ argv: [script], cwd: folder }, request.signal);
  const shown = person.asked.length + 1;
  const asked = isFallback ? null : person.shown(shown).then(() => person.asked[shown - 1]);
  if (asked !== null) void answerHonestly(asked, person, visit);
  const done = await ending;
  person.crash();
  if (fault === 'runner killed') await recover(base.rows);
  return {
    end: fault === 'runner killed' ? 'gone' : codeOf(done),
    ran: existsSync(proof) ? readFileSync(proof, 'utf8').split('\n').length - 1 : 0,
    rows: base.rows.slice(before).map(rowInShort),
    toldOfRows: world.logged.some((text) => text.includes('could not be written down')),
  };
}

/** What the next runner does with the rows that it finds. */
async function recover(rows: AuditRow[]): Promise<void> {
  const idsOf = (type: AuditRow['type']): readonly string[] =>
    rows.flatMap((row) => (row.type === type && 'id' in row ? [row.id] : []));
  const { audit } = bench().ports;
  await closeOpenDecisions(
    {
      ...audit,
      openDecisions: async () =>
        rows
          .filter((row) => row.type === 'decision' && row.decision === 'allow')
          .flatMap((row) => ('id' in row ? [row.id] : []))
          .filter((id) => !idsOf('outcome').includes(id))
          .map((id) => ({ id, starting: idsOf('starting').includes(id) })),
      durable: async (row) => void rows.push(row),
      append: () => {},
    },
    () => 0,
  );
}

type Person = ReturnType<typeof desk>;
type Visit = ReturnType<typeof stepPorts>['visit'];

/** In time, and over the wire; whatever else comes is the fault's doing. */
async function answerHonestly(
  asked: Promise<Person['asked'][number] | undefined>,
  person: Person,
  { step }: Visit,
): Promise<void> {
  const one = await asked;
  try {
    step('ask');
  } catch {
    // Whoever was to hear the answer is gone.
    return;
  }
  if (one === undefined || person.pending.find(one.ask.id) === undefined) return;
  person.session().decide({ id: one.ask.id, askDigest: one.digest, decision: 'allow-once' });
  // An answer that did not count leaves the question to its deadline.
  setImmediate(() => setImmediate(() => person.clock.advance(patience)));
}

/** A request that nobody answers in time. What comes for it later is late. */
async function unanswered(
  world: ReturnType<typeof bench>,
  person: Person,
  visit: Visit,
): Promise<void> {
  visit.rest();
  const first = world.exec({ argv: ['touch', '/nowhere/at/all'] });
  await person.shown(1);
  person.clock.advance(patience);
  if (codeOf(await first) !== 'approval-timeout') throw new Error('the first ask did not expire');
  visit.work();
}

function rowInShort(row: ReturnType<typeof bench>['rows'][number]): string {
  if (row.type === 'decision')
    return row.decision === 'allow' ? `allow ${row.by}` : `deny ${row.code}`;
  if (row.type === 'outcome') return row.code === null ? row.outcome : `${row.outcome} ${row.code}`;
  return row.type;
}
