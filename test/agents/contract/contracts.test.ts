import { describe, expect, test } from 'vitest';
import { adapterOf, failClosed, hosts } from '../../../shared/agents/registry.ts';
import type { HostAdapter } from '../../../shared/wire/agent-host.ts';
import { refusalOf } from '../../../shared/base/refusal.ts';
import { fixturesOf } from './support.ts';

describe.each(hosts)('%s', (host) => {
  const adapter = adapterOf(host) as HostAdapter;
  const fixtures = fixturesOf(host);

  test.each(fixtures.filter(([, { event }]) => event !== undefined))(
    'reads %s',
    (_name, { stdin, event }) => {
      expect(adapter.read(stdin)).toEqual(event);
    },
  );

  test.each(fixtures.filter(([, { refused }]) => refused !== undefined))(
    'does not understand %s, and says where',
    (_name, { stdin, refused }) => {
      const refusal = refusalOf(thrownBy(() => adapter.read(stdin)));
      expect(refusal).toMatchObject({ code: 'invalid-request' });
      expect(refusal?.message).toContain(refused);
    },
  );

  test.each(
    fixtures.flatMap(([name, { stdin, answers = [] }]) =>
      answers.map((said) => [name, said.outcome.kind, { stdin, ...said }] as const),
    ),
  )('answers %s: %s', (_name, _kind, { stdin, outcome, stdout, stderr = '', exitCode = 0 }) => {
    const said = adapter.answer(outcome, stdin);
    expect(said).toEqual({
      stdout: stdout === '' ? '' : `${JSON.stringify(stdout)}\n`,
      stderr,
      exitCode,
    });
  });

  test.each([
    undefined,
    null,
    1,
    'text',
    [],
    {},
    { hook_event_name: 'PreToolUse' },
    { version: 1 },
  ])('refuses %j', (input) => {
    expect(refusalOf(thrownBy(() => adapter.read(input)))).toMatchObject({
      code: 'invalid-request',
    });
  });

  test('says no without the gate in the words of a refusal', () => {
    const said = failClosed(host, 'The runner does not answer. Start it: interlock up');
    expect(said).toEqual(
      adapter.answer(
        { kind: 'refused', text: 'The runner does not answer. Start it: interlock up' },
        null,
      ),
    );
    expect(said.stdout).toContain('"deny"');
    expect(said.stdout).toContain('interlock up');
  });

  test('never lets a command through that it cannot replace', () => {
    for (const input of [null, {}, { tool_input: null }, { tool_input: { command: 1 } }, []]) {
      const { stdout } = adapter.answer({ kind: 'run-instead', command: 'x' }, input);
      expect(stdout).toContain('"deny"');
    }
  });
});

test('a name that is not a host has no adapter', () => {
  for (const name of ['', 'emacs', 'toString', '__proto__', 'Claude'])
    expect(adapterOf(name)).toBeUndefined();
});

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}
