import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { completed } from '../../shared/engine/config-schema.ts';
import type { ConfigFile } from '../../shared/engine/config.ts';
import {
  boundProblem,
  managedBounds,
  modeBounds,
  parseManaged,
} from '../../shared/engine/managed.ts';
import type { Managed } from '../../shared/engine/managed.ts';
import { resolveModes } from '../../shared/engine/policy/resolve.ts';
import { askModes, securityModes } from '../../shared/engine/policy/types.ts';
import type { PolicyDocument } from '../../shared/engine/policy/types.ts';
import { boundModes, resolveRoute } from '../../shared/engine/routing.ts';
import { readConfigFile } from '../../shared/home/config-file.ts';
import { managedStamp, readManaged } from '../../shared/home/managed-files.ts';

const made = mkdtempSync(join(tmpdir(), 'interlock-managed-'));
afterAll(() => rmSync(made, { recursive: true, force: true }));
const owner = process.getuid?.() ?? 0;
let count = 0;

/** A folder of the administrator's, whose part this test's user plays. */
function place(files: Readonly<Record<string, unknown>> = {}) {
  const directory = join(made, String((count += 1)), 'policy.d');
  mkdirSync(directory, { recursive: true, mode: 0o755 });
  for (const [name, value] of Object.entries(files))
    writeFileSync(
      join(directory, name),
      typeof value === 'string' ? value : JSON.stringify({ version: 1, ...(value as object) }),
      { mode: 0o644 },
    );
  return { directory, owner };
}

const problemOf = (at: ReturnType<typeof place>): string => {
  const read = readManaged(at);
  return read.ok ? 'taken' : `${read.problem.code}: ${read.problem.message}`;
};

const security = fc.option(fc.constantFrom(...securityModes), { nil: undefined });
const ask = fc.option(fc.constantFrom(...askModes), { nil: undefined });
const hosts = fc.constantFrom('sandbox', 'gateway', 'node', 'auto');
const modes = fc.record({ security, ask }, { requiredKeys: [] });
const without = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;
const managedText = fc
  .record({ security, ask, hosts: fc.option(fc.uniqueArray(hosts), { nil: undefined }) })
  .map(without);
const managed = fc
  .array(fc.record({ all: managedText, own: managedText }), { maxLength: 3 })
  .map((files) =>
    files.map(({ all, own }, index): Managed => {
      const text = JSON.stringify({ version: 1, ...all, agents: { a: own } });
      const parsed = parseManaged(text, `/m/${String(index)}.json`);
      if (!parsed.ok) throw new Error(parsed.problem);
      return parsed.managed;
    }),
  );

describe('what the administrator says', () => {
  it('together with what a person says is never looser than either', () => {
    fc.assert(
      fc.property(
        managed,
        fc.record({ file: modes, exec: modes, own: modes, host: hosts, asked: fc.option(hosts) }),
        (files, { file, exec, own, host, asked }) => {
          const text = {
            version: 1,
            exec: { ...without(exec), host, hosts: ['node'] },
            agents: { a: without(own) },
          } as ConfigFile;
          const free = completed(text);
          const bound = { ...free, managed: files };
          const document = { version: 1, agents: { a: without(file) } } as PolicyDocument;
          const loose = resolveModes(document, 'a', boundModes(free, { agent: 'a' }));
          const tight = resolveModes(document, 'a', boundModes(bound, { agent: 'a' }));
          const all = managedBounds(files, ['a']);
          const rank = <T>(order: readonly T[], value: T) => order.indexOf(value);
          for (const { value } of [loose.security, ...all.security])
            expect(rank(securityModes, tight.security.value)).toBeLessThanOrEqual(
              rank(securityModes, value),
            );
          for (const { value } of [loose.ask, ...all.ask])
            expect(rank(askModes, tight.ask.value)).toBeLessThanOrEqual(rank(askModes, value));
          const question = { agent: 'a', asked: { host: asked ?? undefined } };
          const was = resolveRoute(free, question);
          const is = resolveRoute(bound, question);
          if (is.ok) {
            expect(is).toEqual(was);
            for (const { value } of all.hosts) expect(value).toContain(is.route.host.value);
            const away = resolveRoute(bound, { ...question, elsewhere: true });
            const mayHere = ({ value }: { readonly value: readonly string[] }): boolean =>
              value.includes('gateway') || value.includes('auto');
            expect(away.ok).toBe(all.hosts.every(mayHere));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is found by its file', () => {
    const at = place({ '20.json': { security: 'allowlist' }, '10.json': { ask: 'always' } });
    const read = readConfigFile(join(made, 'none.json'), { uid: owner, managed: at });
    const config = read.ok ? read.config : null;
    expect(config?.managed?.map(({ path }) => path)).toEqual([
      join(at.directory, '10.json'),
      join(at.directory, '20.json'),
    ]);
    const said = config === null ? null : boundModes(config, { agent: 'a' });
    expect(said?.ask).toEqual([
      { value: 'always', layer: 'managed', setting: join(at.directory, '10.json') },
    ]);
  });

  it('holds each agent to what stands under "*", beside its own', () => {
    const files =
      readable(
        place({
          '1.json': {
            agents: {
              '*': { security: 'allowlist', deny: [{ pattern: 'curl' }] },
              a: { ask: 'always' },
            },
          },
        }),
      ) ?? undefined;
    expect(managedBounds(files, ['b'])).toMatchObject({
      security: [{ value: 'allowlist' }],
      ask: [],
      rules: [{ pattern: 'curl' }],
    });
    expect(managedBounds(files, ['a'])).toMatchObject({ ask: [{ value: 'always' }] });
    expect(managedBounds(files, ['a']).security).toHaveLength(1);
    expect(modeBounds(files, null).security?.value).toBe('allowlist');
  });

  it.each([
    ['a looser mode of an agent', { agents: { a: { security: 'full' } } }, 'agents.a.security'],
    ['the same for everyone', { agents: { '*': { security: 'full' } } }, 'agents.*.security'],
    ['a looser default', { defaults: { ask: 'off' } }, 'defaults.ask'],
    ['what nobody gives', { agents: { b: { askFallback: 'full' } } }, 'agents.b.askFallback'],
    ['what only this agent is bound by', { agents: { a: { ask: 'on-miss' } } }, 'agents.a.ask'],
    ['what the bound gives', { agents: { a: { security: 'allowlist', ask: 'always' } } }, null],
    ['what is stricter', { agents: { b: { security: 'deny', ask: 'on-miss' } } }, null],
    ['what stood there before', { agents: { old: { security: 'full' } } }, null],
    ['an old one that gets looser', { agents: { old: { ask: 'off' } } }, 'agents.old.ask'],
  ] as const)('lets nobody save %s', (_, written, field) => {
    const files =
      readable(
        place({
          '1.json': { security: 'allowlist', ask: 'on-miss', agents: { a: { ask: 'always' } } },
        }),
      ) ?? undefined;
    const before = { version: 1, agents: { old: { security: 'full' } } } as PolicyDocument;
    const agents = { ...before.agents, ...('agents' in written ? written.agents : {}) };
    const problem = boundProblem(files, before, { ...before, ...written, agents });
    if (field === null) expect(problem).toBeNull();
    else {
      expect(problem?.code).toBe('policy-deny');
      expect(problem?.message).toContain(`"${field}" cannot be`);
      expect(problem?.message).toContain('1.json gives');
      expect(problem?.hint).toContain('administrator');
    }
    expect(boundProblem(undefined, before, { ...before, ...written, agents })).toBeNull();
  });

  it('holds rules that deny, and no others', () => {
    const deny = [{ pattern: 'curl' }];
    const text = (rule: object): string => JSON.stringify({ version: 1, deny: [rule] });
    const [rule] = managedBounds(
      [...(readable(place({ '1.json': { deny, agents: { a: { deny } } } })) ?? [])],
      ['a', 'a'],
    ).rules;
    expect(rule).toMatchObject({ effect: 'deny', pattern: 'curl' });
    for (const effect of ['allow', 'ask'])
      expect(parseManaged(text({ pattern: 'curl', effect }), '/x')).toMatchObject({ ok: false });
  });

  it.each([
    ['no JSON', { 'a.json': '{' }],
    ['unknown fields', { 'a.json': { securty: 'deny' } }],
    ['another version', { 'a.json': '{"version": 2}' }],
    [
      'a rule that is not understood',
      { 'a.json': { deny: [{ pattern: 'curl', argPattern: '(' }] } },
    ],
  ])('denies everything where it is not valid: %s', (_, files) => {
    const at = place(files);
    expect(problemOf(at)).toContain(`config-invalid: ${join(at.directory, 'a.json')} is not valid`);
    expect(readConfigFile(join(made, 'none.json'), { uid: owner, managed: at }).ok).toBe(false);
  });

  it('denies everything where somebody else could have written it', () => {
    const loose = place({ 'a.json': {} });
    chmodSync(join(loose.directory, 'a.json'), 0o664);
    expect(problemOf(loose)).toContain('a.json is not a plain file of root');
    const open = place({ 'a.json': {} });
    chmodSync(open.directory, 0o777);
    expect(problemOf(open)).toContain('is not a folder of root');
    expect(problemOf({ ...place({ 'a.json': {} }), owner: owner + 1 })).toContain('config-invalid');
    const linked = place();
    symlinkSync(join(open.directory, 'a.json'), join(linked.directory, 'a.json'));
    expect(problemOf(linked)).toContain('config-invalid');
  });

  it('denies everything where somebody else could have moved it away', () => {
    const moved = place({ 'a.json': { security: 'deny' } });
    const above = dirname(moved.directory);
    rmSync(moved.directory, { recursive: true });
    expect(readManaged(moved)).toEqual({ ok: true, files: [] });
    const before = managedStamp(moved);
    chmodSync(above, 0o777);
    expect(managedStamp(moved)).not.toBe(before);
    expect(problemOf(moved)).toBe(
      `config-invalid: ${above} is not a folder of root that nobody else may write to.`,
    );
    rmSync(above, { recursive: true });
    symlinkSync(made, above);
    expect(problemOf(moved)).toContain('config-invalid');
  });

  it('is nothing where there is no folder, and is seen when it comes', () => {
    const at = { directory: join(made, 'later', 'policy.d'), owner };
    expect(readManaged(at)).toEqual({ ok: true, files: [] });
    const before = managedStamp(at);
    mkdirSync(at.directory, { recursive: true, mode: 0o755 });
    const empty = managedStamp(at);
    writeFileSync(join(at.directory, 'a.json'), '{"version": 1}');
    expect(new Set([before, empty, managedStamp(at)]).size).toBe(3);
  });
});

function readable(at: ReturnType<typeof place>): readonly Managed[] | null {
  const read = readManaged(at);
  return read.ok ? read.files : null;
}
