import { expect, it } from 'vitest';
import type { AskForTool, Host, HostTask } from '../../../runner/hosts/host.ts';
import { createHosts } from '../../../runner/hosts/host.ts';
import { createLimits } from '../../../runner/limits/limits.ts';
import { createBuckets } from '../../../runner/limits/bucket.ts';
import { defaultConfig } from '../../../shared/engine/config.ts';
import { completed } from '../../../shared/engine/config-schema.ts';
import type { Config, ConfigFile } from '../../../shared/engine/config.ts';
import type { ExecEvent } from '../../../shared/wire/api.ts';
import { bench, fullPolicy } from './support.ts';
import type { BenchOptions } from './support.ts';

type KeyState = 'none' | 'keyed' | 'revoked';

/** A command in a sandbox that asks for a tool while it runs, after `meanwhile`. */
async function asking(
  meanwhile: (at: { becomes: (key: KeyState) => void }) => void,
  signed = true,
) {
  const ran: HostTask[] = [];
  const heard: ExecEvent[] = [];
  let key: KeyState = signed ? 'keyed' : 'none';
  let config: Config = completed({ version: 1, principals: { trustClaims: true } });
  const becomes = (next: KeyState): void => {
    key = next;
  };
  const host = (name: string): Host => ({
    name,
    probe: async () => ({ ok: true }),
    run: async (task, _limits, io) => {
      ran.push(task);
      io.started(1);
      if (ran.length === 1) {
        meanwhile({ becomes });
        await ask(task.asks);
      }
      return { ending: 'exited', exitCode: 0, signal: null };
    },
    groups: () => [],
    stopStrays: () => 0,
  });
  const ask = async (asks: AskForTool | undefined): Promise<void> =>
    asks?.(
      { argv: ['ls', '-l'], cwd: '/tmp' },
      { emit: (event) => void heard.push(event), gone: new AbortController().signal },
      () => null,
    );
  const ports: BenchOptions['ports'] = {
    config: () => config,
    callers: {
      signer: async () => (signed ? 'claude' : null),
      keyState: () => key,
    },
    broker: {
      admit: async () => ({ policy: { tool: 'ls' } as never, hash: '', confirm: null }),
      requireSame: async () => {},
    },
    hosts: createHosts([host('gateway'), host('tools')]),
    limits: createLimits({
      settings: () => ({ ...defaultConfig.limits, concurrent: 1, concurrentPerAgent: 1 }),
      buckets: createBuckets({ elapsed: () => 0, levels: {} }),
      changed: () => {},
    }),
  };
  const at = bench({ policy: fullPolicy, ports });
  const set = (file: Partial<ConfigFile>): void => {
    config = completed({ version: 1, ...file });
  };
  const call = { headers: {}, method: 'POST', path: '/v1/exec', body: {} };
  const outer = at.gate.exec(
    {
      kind: 'exec',
      request: { argv: ['ls'], cwd: '/tmp', session: 's', ...(!signed && { agent: 'claude' }) },
      peer: { uid: process.getuid?.() ?? 0, pid: process.pid },
      call,
    },
    { emit: () => {}, gone: new AbortController().signal },
  );
  await outer;
  const end = heard.at(-1);
  const said = end?.type === 'refused' ? end.refusal.code : end?.type;
  return { ran, said, rows: at.rows, set };
}

it('a tool is called as whoever the command is of, in its session, and waits for no place', async () => {
  for (const signed of [true, false]) {
    const { ran, said, rows } = await asking(() => {}, signed);
    expect(said).toBe('finished');
    expect(ran.map(({ agent, session }) => [agent, session])).toEqual([
      ['claude', 's'],
      ['claude', 's'],
    ]);
    const inner = rows.filter((row) => row.type === 'decision').at(-1);
    expect(inner).toMatchObject({ agent: 'claude', session: 's', host: 'tools', command: 'ls -l' });
  }
});

it.each([
  [true, 'revoked'],
  [true, 'none'],
  [false, 'keyed'],
  [false, 'revoked'],
] as const)(
  'and no more where its key is another by then: signed %s, %s',
  async (signed, state) => {
    const { ran, said } = await asking(({ becomes }) => becomes(state), signed);
    expect(said).toBe('hmac-fail');
    expect(ran).toHaveLength(1);
  },
);
