import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli, temporaryHome } from './support.ts';

let place: ReturnType<typeof temporaryHome>;
beforeEach(async () => {
  place = temporaryHome();
  await run('init', '--host', 'gateway');
});
afterEach(() => place.remove());

const run = async (...args: readonly string[]) =>
  cli({ home: place.home, now: () => 1_000_000 }, ...args);

describe('interlock network', () => {
  it('shows the lists and the rules of an agent', async () => {
    await run('approvals', 'allow', '--kind', 'egress', '--agent', 'claude', '*.example.com:8443');
    await run('approvals', 'deny', '--kind', 'egress', 'files.example.com');
    const { out } = await run('network', 'show', '--agent', 'claude');
    expect(out).toMatch(/^network {3}none$/mu);
    expect(out).toMatch(/^presets {3}trusted \(\d+ hosts\)$/mu);
    expect(out).toMatch(/^rule {6}allow reaching \*\.example\.com:8443 /mu);
    expect(out).toMatch(/^rule {6}deny reaching files\.example\.com /mu);
    expect((await run('network', 'show', '--agent', 'codex')).out).not.toContain('8443');
  });

  it.each([
    ['https://registry.npmjs.org/left-pad', 0, 'allow'],
    ['files.example.com:22', 1, 'deny'],
    ['https://unknown.example/', 1, 'ask'],
    ['http://0x7f.1/', 1, 'deny'],
  ] as const)('says what would become of %s', async (address, exitCode, verdict) => {
    await run('approvals', 'deny', '--kind', 'egress', 'files.example.com');
    const told = await run('network', 'check', address);
    expect(told.exitCode).toBe(exitCode);
    expect(told.out.startsWith(verdict)).toBe(true);
    expect(told.out).toContain('Note: sandbox.network is "none"');
    const { out } = await run('network', 'check', address, '--json');
    expect(JSON.parse(out)).toMatchObject({ verdict });
  });

  it('counts no rule that has expired', async () => {
    const soon = ['--expires', '30m', 'soon.example'];
    await run('approvals', 'allow', '--kind', 'egress', ...soon);
    expect((await run('network', 'check', 'soon.example')).exitCode).toBe(0);
    const later = { home: place.home, now: () => 1_000_000 + 31 * 60_000 };
    expect((await cli(later, 'network', 'check', 'soon.example')).exitCode).toBe(1);
  });
});
