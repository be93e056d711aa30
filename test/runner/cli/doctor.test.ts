import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAuthority } from '../../../runner/egress/authority.ts';
import { runCli } from '../../../runner/cli/program.ts';
import { ownUid } from '../../../shared/home/index.ts';
import type { HealthCheck } from '../../../shared/wire/index.ts';
import { temporaryHome, testIo } from './support.ts';

let place: ReturnType<typeof temporaryHome>;

beforeEach(async () => {
  place = temporaryHome();
  await run('init', '--host', 'gateway');
});
afterEach(() => place.remove());

async function run(...words: readonly string[]) {
  const env = { XDG_DATA_HOME: join(place.folder, 'data'), GH_TOKEN: 'ghp_of_the_variables' };
  const io = testIo({ home: place.home, env });
  Object.assign(io.io, { stdin: Readable.from([Buffer.from('a secret value')]) });
  return { ...io, code: await runCli(words, io.io) };
}

/** What `doctor` says of tokens, by what each line is about. */
async function told(): Promise<Readonly<Record<string, HealthCheck>>> {
  const { out } = await run('doctor', '--json');
  expect(out()).not.toMatch(/ghp_of_the_variables|a secret value/u);
  const { checks } = JSON.parse(out()) as { readonly checks: readonly HealthCheck[] };
  return Object.fromEntries(checks.map((check) => [check.id, check]));
}

function configure(config: object): void {
  const all = { version: 1, exec: { host: 'gateway' }, ...config };
  writeFileSync(join(place.home, 'config.json'), JSON.stringify(all), { mode: 0o600 });
}

describe('doctor on what stands between agents and tokens', () => {
  it('says that there is nothing, where there is nothing', async () => {
    const { secrets, tools, proxy, github } = await told();
    expect(secrets).toMatchObject({ level: 'ok', title: 'No secrets are kept' });
    expect(tools).toMatchObject({ level: 'ok', title: 'No tool is brokered' });
    expect([proxy, github]).toEqual([undefined, undefined]);
  });

  it('says which secret a tool lacks, and which policy does not hold', async () => {
    await run('tool', 'add', 'git');
    await run('tool', 'add', 'npm');
    writeFileSync(join(place.home, 'policy', 'npm.yaml'), 'version: 2\n');
    const { tools } = await told();
    expect(tools).toMatchObject({ level: 'warning' });
    expect(tools?.detail).toContain('git needs the secret "github".');
    expect(tools?.detail).toContain('npm.yaml: ');
    await run('secret', 'set', 'github');
    await run('tool', 'rm', 'npm');
    const { secrets, tools: mended } = await told();
    expect(secrets?.title).toBe('1 secret is kept');
    expect(mended).toMatchObject({ level: 'ok', title: 'Brokered tools: git' });
  });

  it('says what the proxy lacks, how its authority is, and who signs in at GitHub', async () => {
    const service = { name: 'a', base: 'https://a.example', header: 'x-api-key', secret: 'a-key' };
    configure({ sandbox: { network: 'restricted' }, egress: { services: [service] } });
    const first = await told();
    expect(first['proxy']).toMatchObject({ level: 'warning' });
    expect(first['proxy']?.detail).toContain('interlock secret set a-key');
    expect(first['authority']?.title).toContain('made when it is first needed');
    expect(first['github']?.title).toMatch(/by GH_TOKEN or GITHUB_TOKEN$|your own sign-in of gh/u);
    await run('secret', 'set', 'a-key');
    const path = join(place.home, 'keys', 'egress-authority.pem');
    await openAuthority({ path, uid: ownUid(), now: () => Date.now() });
    const second = await told();
    expect(second['proxy']).toMatchObject({ level: 'ok' });
    expect(second['authority']).toMatchObject({ level: 'ok' });
    expect(second['authority']?.title).toMatch(/good until \d{4}-\d\d-\d\d/u);
    writeFileSync(path, 'nothing');
    expect((await told())['authority']).toMatchObject({ level: 'danger' });
    configure({ sandbox: { network: 'restricted' }, egress: { github: 'off' } });
    expect((await told())['github']).toBeUndefined();
  });
});
