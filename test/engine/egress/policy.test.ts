import { describe, expect, it } from 'vitest';
import { defaultEgress } from '../../../shared/engine/egress/config.ts';
import type { EgressConfig } from '../../../shared/engine/egress/config.ts';
import { parseAddress } from '../../../shared/engine/egress/address.ts';
import { coversHost, coversPort, parseHostRule } from '../../../shared/engine/egress/pattern.ts';
import {
  addressProblem,
  compileEgress,
  judgeTarget,
  transformsFor,
} from '../../../shared/engine/egress/policy.ts';
import type { EgressPolicy } from '../../../shared/engine/egress/policy.ts';
import { judgeAddress } from '../../../shared/engine/egress/reach.ts';
import { defaultConfig, ruleProblem } from '../../../shared/engine/index.ts';
import type { Rule } from '../../../shared/engine/index.ts';
import { parseAuthority } from '../../../shared/engine/egress/target.ts';
import type { Target } from '../../../shared/engine/egress/target.ts';

const target = (text: string): Target => {
  const parsed = parseAuthority(text, 443);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.target;
};

const policy = (config: Partial<EgressConfig>): EgressPolicy => {
  const compiled = compileEgress({ ...defaultEgress, presets: [], unknown: 'deny', ...config });
  if (!compiled.ok) throw new Error(compiled.problem);
  return compiled.policy;
};

describe('a host in a rule', () => {
  it.each([
    [
      'example.com',
      ['example.com', 'EXAMPLE.COM', 'example.com.'],
      ['a.example.com', 'example.org'],
    ],
    ['EXAMPLE.com', ['example.com'], []],
    [
      '*.example.com',
      ['a.example.com', 'a.b.example.com', 'a.b.c.d.example.com'],
      ['example.com', 'aexample.com', 'a.example.com.evil.example', 'example.com.evil'],
    ],
    [
      'a.*.example.com',
      ['a.b.example.com', 'a.xn--x.example.com'],
      ['a.example.com', 'a.b.c.example.com', 'x.a.b.example.com', 'b.b.example.com'],
    ],
    ['*.*.example.com', ['a.b.example.com', 'a.b.c.example.com'], ['example.com', 'a.example.com']],
    [
      '*.api.*.example.com',
      ['x.api.eu.example.com', 'y.x.api.eu.example.com'],
      ['api.eu.example.com', 'x.api.a.b.example.com', 'api.example.com'],
    ],
    ['*', ['example.com', 'localhost', 'a.b.c'], ['8.8.8.8', '[2606:4700::1111]', '127.0.0.1']],
    ['localhost', ['localhost'], ['localhost.example.com', '127.0.0.1', '[::1]']],
    ['127.0.0.1', ['127.0.0.1', '[::ffff:127.0.0.1]'], ['127.0.0.2', 'localhost']],
    ['[::1]', ['[::1]', '[0:0:0:0:0:0:0:1]'], ['[::2]', '127.0.0.1']],
    ['10.0.0.0/8', ['10.0.0.0', '10.255.255.255'], ['11.0.0.0', '9.255.255.255', 'ten.example']],
    ['[fd00::]/8', ['[fd12::1]'], ['[fe12::1]', '10.0.0.1']],
    ['0.0.0.0/0', ['1.2.3.4'], ['[::1]', 'example.com']],
    ['com', ['com'], ['example.com']],
    ['xn--bcher-kva.example', ['xn--bcher-kva.example'], ['bcher.example']],
  ])('%s', (text, covered, others) => {
    const parsed = parseHostRule(text);
    if (!parsed.ok) throw new Error(parsed.problem);
    const covers = (host: string) => coversHost(parsed.rule.pattern, target(`${host}:443`));
    for (const host of covered) expect(`${host} ${String(covers(host))}`).toBe(`${host} true`);
    for (const host of others) expect(`${host} ${String(covers(host))}`).toBe(`${host} false`);
  });

  it.each([
    '',
    'foo*.example.com',
    '*foo.example.com',
    'f*o.example.com',
    '**.example.com',
    '**',
    '*.',
    'example.*',
    'example.com.*',
    '*.*',
    '.example.com',
    'example..com',
    '*..example.com',
    '?.example.com',
    '[a-z].example.com',
    '{a,b}.example.com',
    'bücher.example',
    'http://example.com',
    'example.com/path',
    'user@example.com',
    'example.com:0',
    'example.com:65536',
    'example.com:http',
    'example.com:',
    'example.com:443:443',
    '127.1',
    '2130706433',
    '0x7f.1',
    '010.0.0.0/8',
    '10.0.0.1/8',
    '10.0.0.0/33',
    '::1',
    '::1:443',
    'fd00::/8',
    '[::1',
    '[example.com]',
    '[fe80::1%eth0]',
    'exam ple.com',
    'example.com ',
  ])('%j is none', (text) => {
    expect(parseHostRule(text).ok).toBe(false);
  });

  it.each([
    ['example.com:8443', [8443], [443, 80]],
    ['example.com:*', [1, 22, 65_535], []],
    ['[::1]:3000', [3000], [80]],
    ['10.0.0.0/8:22', [22], [443]],
  ])('with a port: %s', (text, covered, others) => {
    const parsed = parseHostRule(text);
    if (!parsed.ok || parsed.rule.ports === null) throw new Error('no port');
    const { ports } = parsed.rule;
    expect(covered.filter((port) => coversPort(ports, port))).toEqual(covered);
    expect(others.filter((port) => coversPort(ports, port))).toEqual([]);
  });
});

describe('a target', () => {
  const verdict = (given: Partial<EgressConfig>, text: string): string =>
    judgeTarget(policy(given), target(text)).verdict;

  it('is denied where no rule names it, and asked about where the settings say so', () => {
    expect(verdict({}, 'example.com:443')).toBe('deny');
    expect(verdict({ unknown: 'ask' }, 'example.com:443')).toBe('ask');
    expect(verdict({ unknown: 'ask' }, '8.8.8.8:443')).toBe('ask');
  });

  it('is reached on the usual ports where its rule names none', () => {
    const allow = ['example.com'];
    expect(verdict({ allow }, 'example.com:443')).toBe('allow');
    expect(verdict({ allow }, 'example.com:80')).toBe('allow');
    expect(verdict({ allow }, 'example.com:22')).toBe('deny');
    expect(verdict({ allow: [{ host: 'example.com', ports: [22] }] }, 'example.com:22')).toBe(
      'allow',
    );
    expect(verdict({ allow: [{ host: 'example.com', ports: [22] }] }, 'example.com:443')).toBe(
      'deny',
    );
    expect(verdict({ allow: [{ host: 'example.com', ports: '*' }] }, 'example.com:9')).toBe(
      'allow',
    );
  });

  it('that is denied is so whatever allows it, on every port', () => {
    const config = { allow: ['*', 'bad.example:*'], deny: ['bad.example', '*.bad.example'] };
    expect(verdict(config, 'bad.example:443')).toBe('deny');
    expect(verdict(config, 'bad.example:8080')).toBe('deny');
    expect(verdict(config, 'a.b.bad.example:80')).toBe('deny');
    expect(verdict(config, 'good.example:80')).toBe('allow');
    expect(verdict({ allow: ['*'], deny: ['a.example:80'] }, 'a.example:443')).toBe('allow');
  });

  it.each([
    '127.0.0.1',
    '[::1]',
    '10.0.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '[fd00:ec2::254]',
    '168.63.129.16',
    '0.0.0.0',
    '[::]',
    '[::ffff:10.0.0.1]',
    '[64:ff9b::a9fe:a9fe]',
  ])('that is not a public address is not even asked about: %s', (host) => {
    expect(verdict({ allow: ['*'], unknown: 'ask' }, `${host}:80`)).toBe('deny');
  });

  it('of a preset is a registry or a host of code, and nothing above it', () => {
    const config = { presets: ['trusted'] as const };
    expect(verdict(config, 'registry.npmjs.org:443')).toBe('allow');
    expect(verdict(config, 'github.com:443')).toBe('allow');
    expect(verdict(config, 'github.com:22')).toBe('deny');
    expect(verdict(config, 'evil.github.com:443')).toBe('deny');
    expect(verdict(config, 'githubusercontent.com:443')).toBe('deny');
  });
});

describe('the address that a name leads to', () => {
  const problem = (given: Partial<EgressConfig>, at: string, address: string, isOurs = false) => {
    const compiled = policy(given);
    const parsed = parseAddress(address);
    const verdict = judgeTarget(compiled, target(at));
    if (parsed === null || verdict.verdict !== 'allow') throw new Error('not allowed at all');
    const { mayBePrivate } = verdict;
    return addressProblem(compiled, { target: target(at), address: parsed, isOurs, mayBePrivate });
  };
  const byName = { allow: ['a.example'] };
  const near = { allow: [{ host: 'a.example', private: true }] };

  it('is dialled where it is on the internet', () => {
    expect(problem(byName, 'a.example:443', '8.8.8.8')).toBeNull();
    expect(problem(byName, 'a.example:443', '2606:4700::1111')).toBeNull();
  });

  it.each(['127.0.0.1', '10.0.0.1', '192.168.0.1', '::1', 'fd12::1', '::ffff:10.0.0.1'])(
    'is not where it is near (%s), but by a rule that says so',
    (address) => {
      expect(problem(byName, 'a.example:443', address)).toContain('no rule names it');
      expect(problem(near, 'a.example:443', address)).toBeNull();
    },
  );

  it.each(['169.254.169.254', '169.254.0.9', 'fe80::1', '0.0.0.0', '224.0.0.1', 'fd00:ec2::254'])(
    'is never %s by a name',
    (address) => {
      expect(problem(byName, 'a.example:443', address)).toContain('no rule names it');
      expect(problem(near, 'a.example:443', address)).toContain('no rule names it');
    },
  );

  it('is one of this machine, whatever it looks like', () => {
    expect(problem(byName, 'a.example:443', '8.8.8.8', true)).toContain('is this machine');
    expect(problem(near, 'a.example:443', '8.8.8.8', true)).toBeNull();
  });

  it('is dialled where a network names it, but for credentials of a cloud', () => {
    const allow = ['a.example', '10.0.0.0/8', '169.254.0.0/16', '0.0.0.0/0'];
    expect(problem({ allow }, 'a.example:443', '10.0.0.1')).toBeNull();
    expect(problem({ allow }, 'a.example:443', '169.254.169.254')).toContain('credentials');
    const named = { allow: ['169.254.169.254:80'] };
    expect(problem(named, '169.254.169.254:80', '169.254.169.254')).toBeNull();
    expect(judgeTarget(policy(named), target('169.254.169.254:81')).verdict).toBe('deny');
  });

  it('is not dialled where it is denied', () => {
    const config = { allow: ['a.example'], deny: ['8.8.8.0/24', '1.1.1.1:80'] };
    expect(problem(config, 'a.example:443', '8.8.8.8')).toContain('denied by "8.8.8.0/24"');
    expect(problem(config, 'a.example:443', '1.1.1.1')).toBeNull();
    expect(problem(config, 'a.example:80', '1.1.1.1')).toContain('denied');
  });
});

describe('a transform', () => {
  const set = { authorization: 'x' };
  const counted = (host: string, at: string, isPlain = false, plain = false): number =>
    transformsFor(policy({ transforms: [{ host, set, plain }] }), target(at), isPlain).length;

  it('is for encrypted requests alone, unless it says otherwise', () => {
    expect(counted('a.example', 'a.example:443')).toBe(1);
    expect(counted('a.example', 'a.example:80', true)).toBe(0);
    expect(counted('a.example', 'a.example:80', true, true)).toBe(1);
    expect(counted('a.example', 'a.example:8443')).toBe(0);
    expect(counted('a.example:8443', 'a.example:8443')).toBe(1);
    expect(counted('*.example', 'b.a.example:443')).toBe(1);
  });

  it.each([
    'Host',
    'content-length',
    'Transfer-Encoding',
    'connection',
    'proxy-authorization',
    'TE',
  ])('may not touch %s', (name) => {
    for (const change of [{ set: { [name]: 'x' } }, { remove: [name] }])
      expect(
        compileEgress({ ...defaultEgress, transforms: [{ host: 'a.example', ...change }] }),
      ).toMatchObject({
        ok: false,
        problem: expect.stringContaining('belongs to the proxy') as string,
      });
  });
});

it('a rule that is not understood makes all of them invalid, and is named', () => {
  const of = (config: Partial<EgressConfig>) => compileEgress({ ...defaultEgress, ...config });
  expect(of({ allow: ['ok.example', 'f*.example'] })).toMatchObject({
    ok: false,
    problem: expect.stringMatching(/^egress\.allow\[1\] "f\*\.example"/u) as string,
  });
  expect(of({ deny: ['*.*'] })).toMatchObject({ ok: false });
  expect(of({ transforms: [{ host: '::1' }] })).toMatchObject({ ok: false });
  expect(of({ allow: [{ host: 'a.example:1', ports: [2] }] })).toMatchObject({ ok: false });
  expect(of({})).toMatchObject({ ok: true });
});

const rule = (fields: Partial<Rule>): Rule => ({
  id: 'r',
  kind: 'egress',
  pattern: '*',
  ...fields,
});

const ruled = (rules: readonly Rule[], config: Partial<EgressConfig> = {}): EgressPolicy => {
  const settings = { ...defaultEgress, presets: [], unknown: 'ask' as const, ...config };
  const compiled = compileEgress(settings, { rules });
  if (!compiled.ok) throw new Error(compiled.problem);
  return compiled.policy;
};

describe('a rule of the policy about hosts', () => {
  it.each([
    ['api.example.com:443', 'allow', 'api.example.com:443', 'allow'],
    ['api.example.com:443', 'allow', 'api.example.com:8443', 'ask'],
    ['api.example.com', 'allow', 'api.example.com:80', 'allow'],
    ['api.example.com', 'allow', 'api.example.com:22', 'ask'],
    ['*.example.com:*', 'allow', 'a.b.example.com:22', 'allow'],
    ['*.example.com', 'allow', 'example.com:443', 'ask'],
    ['api.example.com', 'deny', 'api.example.com:22', 'deny'],
    ['8.8.8.8', 'allow', '8.8.8.8:443', 'allow'],
    ['10.0.0.1', 'allow', '10.0.0.1:443', 'allow'],
    ['*', 'allow', '10.0.0.1:443', 'deny'],
    ['*', 'ask', '10.0.0.1:443', 'deny'],
  ] as const)('%s, %s, says to %s: %s', (pattern, effect, to, verdict) => {
    expect(judgeTarget(ruled([rule({ pattern, effect })]), target(to)).verdict).toBe(verdict);
  });

  it('denies over what the settings allow, and asks over it, too', () => {
    const allow = ['api.example.com'];
    const host = target('api.example.com');
    const deny = ruled([rule({ effect: 'deny', pattern: 'api.example.com' })], { allow });
    expect(judgeTarget(deny, host)).toMatchObject({ verdict: 'deny', ruleId: 'r' });
    const ask = ruled([rule({ effect: 'ask', pattern: '*.example.com' })], {
      allow,
      unknown: 'deny',
    });
    expect(judgeTarget(ask, host)).toMatchObject({ verdict: 'ask', ruleId: 'r' });
    expect(judgeTarget(ask, target('other.example')).verdict).toBe('deny');
  });

  it('never lets a name lead to a private address', () => {
    const compiled = ruled([rule({ effect: 'allow', pattern: 'db.example' })]);
    const host = target('db.example');
    const address = parseAddress('10.0.0.1');
    if (address === null) throw new Error('no address');
    expect(judgeTarget(compiled, host)).toMatchObject({ verdict: 'allow', mayBePrivate: false });
    const asked = { target: host, address, isOurs: false, mayBePrivate: false };
    expect(addressProblem(compiled, asked)).toContain('private network');
  });

  it('of another kind says nothing about hosts', () => {
    const others = (['exec', 'edit', 'fetch', 'mcp', undefined] as const).map((kind) => {
      const { kind: _kind, ...rest } = rule({ effect: 'allow', pattern: 'api.example.com' });
      return kind === undefined ? rest : { ...rest, kind };
    });
    expect(judgeTarget(ruled(others), target('api.example.com')).verdict).toBe('ask');
  });

  it.each(['tool', 'args', 'cwd', 'host', 'sha256', 'maxRisk', 'writes', 'examples'] as const)(
    'that also has "%s" cannot be saved, allows nothing, and makes a denial close everything',
    (field) => {
      const odd = { [field]: field === 'args' || field === 'writes' ? [] : 'x' };
      const allowing = { ...rule({ effect: 'allow', pattern: 'api.example.com' }), ...odd } as Rule;
      expect(ruleProblem(allowing)).toContain(`"${field}"`);
      expect(judgeTarget(ruled([allowing]), target('api.example.com')).verdict).toBe('ask');
      const denying = { ...allowing, effect: 'deny' } as Rule;
      expect(compileEgress(defaultEgress, { rules: [denying] }).ok).toBe(false);
    },
  );

  it.each(['foo*.example.com', 'https://example.com', 'example.*', '127.1', 'a b'])(
    'with the pattern %j is no rule',
    (pattern) => {
      expect(ruleProblem(rule({ pattern }))).toContain('is not a host');
    },
  );
});

describe('an address that somebody tries', () => {
  it.each([
    ['https://registry.npmjs.org/left-pad?x=1#y', 'registry.npmjs.org:443', 'allow'],
    ['http://Registry.NPMjs.org/', 'registry.npmjs.org:80', 'allow'],
    ['registry.npmjs.org', 'registry.npmjs.org:443', 'allow'],
    ['wss://registry.npmjs.org:8443/x', 'registry.npmjs.org:8443', 'ask'],
    ['unknown.example:22', 'unknown.example:22', 'ask'],
    ['https://[::1]/', '[0:0:0:0:0:0:0:1]:443', 'deny'],
    ['https://user@registry.npmjs.org/', null, 'deny'],
    ['https://0x7f.1/', null, 'deny'],
    ['', null, 'deny'],
    ['WS://registry.npmjs.org', 'registry.npmjs.org:80', 'allow'],
    ['registry.npmjs.org.', 'registry.npmjs.org:443', 'allow'],
    ['ftp://registry.npmjs.org', null, 'deny'],
    ['FTP://registry.npmjs.org:443/x', null, 'deny'],
    ['ssh://git@github.com/a/b', null, 'deny'],
    ['file:///etc/passwd', null, 'deny'],
    ['constructor://registry.npmjs.org', null, 'deny'],
    ['https://registry.npmjs.org:443@evil.example/', null, 'deny'],
    ['https://registry.npmjs.org\\@evil.example/', null, 'deny'],
    ['https://[fe80::1%25eth0]/', null, 'deny'],
    ['https://bücher.example/', null, 'deny'],
    ['https://registry.npmjs.org:0443/', null, 'deny'],
  ] as const)('%s', (address, shown, verdict) => {
    const told = judgeAddress(defaultConfig, { agent: 'claude', rules: [], address });
    expect(told).toMatchObject({ target: shown, verdict });
    expect(told.message).toMatch(/\.$/u);
  });
});
