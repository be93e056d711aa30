import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { create } from 'tar';
import { describe, expect, it, onTestFinished } from 'vitest';
import { publishedAs, publishes } from '../../../runner/tools/npm.ts';
import { fileAt } from '../../../runner/tools/hold.ts';
import { refusalOf } from '../../../shared/base/index.ts';
import { whyNot } from '../hosts/sandbox/support.ts';
import { temporaryFolder } from '../hosts/support.ts';
import {
  endOf,
  exec,
  makeHome,
  root,
  startApprover,
  startRunnerProcess,
} from '../service/support.ts';
import { secretsOf, workIn, writeTool } from './support.ts';

const token = 'npm_0123456789abcdefghijABCDEFGHIJ456789';
const registry = 'https://registry.example/';
const manifest = { name: 'one', version: '1.2.3' };

/** A folder with a package, and what becomes of a call there. `npm pack` is a plain archive of it. */
function scene(files: Readonly<Record<string, string>> = {}) {
  const work = temporaryFolder();
  const source = join(work, 'package');
  mkdirSync(source);
  const all = { 'package.json': JSON.stringify(manifest), ...files };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(source, name), text);
  const packed: string[] = [];
  const archive = async (file: string): Promise<void> =>
    create({ file, gzip: true, cwd: work }, ['package']);
  const call = async (
    words: readonly string[],
    named?: Parameters<typeof publishedAs>[0]['named'],
  ) => {
    const folder = mkdtempSync(join(work, 'call-'));
    const { argv } = await publishedAs({
      program: { kind: 'argv', file: '/usr/bin/npm', argv: ['npm', 'publish', ...words] },
      cwd: source,
      ...(named !== undefined && { named }),
      folder,
      registry,
      pack: async ({ argv: said }, path) => {
        packed.push(path);
        const to = said.find((word) => word.startsWith('--pack-destination='))?.slice(19) ?? '';
        await archive(join(to, 'one-1.2.3.tgz'));
      },
    });
    return argv;
  };
  const refused = async (...given: Parameters<typeof call>) =>
    call(...given).then(
      () => null,
      (error: unknown) => refusalOf(error) ?? error,
    );
  return { work, source, packed, archive, call, refused };
}

describe('what npm publishes with a credential', () => {
  it('is an archive of our own: of the folder of the call, or of one that it names', async () => {
    const at = scene();
    expect(await at.call(['--tag', 'next', '--dry-run'])).toEqual([
      'npm',
      'publish',
      '--tag=next',
      '--dry-run',
      expect.stringMatching(/\/packed\/one-1\.2\.3\.tgz$/u),
    ]);
    await at.call(['../package']);
    expect(at.packed).toEqual([at.source, at.source]);
  });

  it('is an archive that is there, byte by byte', async () => {
    const at = scene();
    const archive = join(at.work, 'mine.tgz');
    await at.archive(archive);
    const own = (await at.call(['../mine.tgz'], [fileAt(archive)])).at(-1) ?? '';
    expect(own).not.toBe(archive);
    expect(readFileSync(own).equals(readFileSync(archive))).toBe(true);
    expect(at.packed).toEqual([]);
  });

  it.each([
    ['a proxy', { 'https-proxy': 'http://127.0.0.1:1' }],
    ['no look at certificates', { 'strict-ssl': false }],
    ['another registry', { registry: 'https://evil.example/' }],
    ['scripts', { 'ignore-scripts': false }],
    ['a field that nobody knows', { whatever: 1 }],
  ])('says of publishConfig nothing that steers npm: %s', async (_what, publishConfig) => {
    const at = scene({ 'package.json': JSON.stringify({ ...manifest, publishConfig }) });
    expect(await at.refused([])).toMatchObject({ code: 'policy-deny' });
    await at.archive(join(at.work, 'mine.tgz'));
    expect(await at.refused(['../mine.tgz'])).toMatchObject({ code: 'policy-deny' });
  });

  it('may say for whom it is, and the registry that it goes to anyway', async () => {
    const publishConfig = { access: 'public', tag: 'next', registry: 'https://registry.example' };
    const at = scene({ 'package.json': JSON.stringify({ ...manifest, publishConfig }) });
    expect(await at.refused([])).toBeNull();
  });

  it('has nothing in it that is kept from agents, unless an agent has packed it itself', async () => {
    const at = scene({ '.env': 'A=1' });
    expect(await at.refused([])).toMatchObject({
      code: 'policy-deny',
      message: expect.stringContaining('.env'),
    });
    await at.archive(join(at.work, 'mine.tgz'));
    expect(await at.refused(['../mine.tgz'])).toBeNull();
  });

  it('is the file that was named, and no other that took its place', async () => {
    const at = scene();
    const [first, second] = [join(at.work, 'first.tgz'), join(at.work, 'second.tgz')];
    await at.archive(first);
    await at.archive(second);
    const named = [fileAt(first)];
    rmSync(first);
    for (const by of [symlinkSync, linkSync]) {
      by(second, first);
      expect(await at.refused(['../first.tgz'], named)).toMatchObject({ code: 'binding-drift' });
      rmSync(first);
    }
  });

  it.each([
    ['no archive', 'text'],
    ['one that ends too early', ''],
  ])('is read as npm reads it, and refused where it is %s', async (_what, text) => {
    const at = scene();
    const path = join(at.work, 'mine.tgz');
    await at.archive(path);
    writeFileSync(path, text === '' ? readFileSync(path).subarray(0, 90) : text);
    expect(await at.refused(['../mine.tgz'])).toMatchObject({ code: 'policy-deny' });
  });

  it('has one package.json, in whatever letters', async () => {
    const at = scene({ 'Package.json': '{}' });
    expect(await at.refused([])).toMatchObject({ message: expect.stringContaining('several') });
  });

  it('is one package, which is there', async () => {
    const at = scene();
    for (const words of [['.', '../package'], ['react'], ['https://a.example/x.tgz'], ['--tag']])
      expect(await at.refused(words)).toMatchObject({ code: 'invalid-request' });
    expect(publishes('npm', ['npm', 'view', 'publish'])).toBe(false);
  });
});

/** A registry that takes what comes, and says who sent it. */
async function startRegistry() {
  const seen: { method: string; url: string; authorization: string; body: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({
        method: request.method ?? '',
        url: request.url ?? '',
        authorization: request.headers.authorization ?? '',
        body: Buffer.concat(chunks).toString('utf8'),
      });
      const isThere = request.method === 'PUT';
      response.writeHead(isThere ? 201 : 404, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, at: `127.0.0.1:${String((server.address() as AddressInfo).port)}` };
}

describe.skipIf(whyNot !== null)('npm publish, typed in a sandbox', () => {
  it('asks a person, and publishes the folder with a token that nobody there has', async () => {
    const paths = await makeHome();
    const { seen, at } = await startRegistry();
    const shipped = readFileSync(join(root, 'assets/tools/npm.yaml'), 'utf8')
      .replaceAll('//registry.npmjs.org/', `//${at}/`)
      .replace('https:', 'http:');
    writeTool(paths, 'npm', shipped);
    await (await secretsOf(paths)).set('npm', Buffer.from(token));
    const work = workIn(dirname(paths.home));
    const scripts = { prepack: 'touch ran', prepublishOnly: 'touch ran', postpublish: 'touch ran' };
    writeFileSync(join(work, 'package.json'), JSON.stringify({ ...manifest, scripts }));
    writeFileSync(join(work, '.npmrc'), 'registry=http://evil.invalid/\nhttps-proxy=http://a:1\n');
    const config = { version: 1, exec: { host: 'sandbox' }, undo: { on: 'off' } };
    writeFileSync(paths.config, JSON.stringify(config), { mode: 0o600 });
    await startRunnerProcess(paths);
    const approver = await startApprover(paths);
    const running = exec(paths, { command: 'npm publish --tag next', cwd: work }).done;
    for (const host of ['sandbox', 'tools']) {
      const asked = await approver.next('ask');
      expect(asked.ask).toMatchObject({ command: 'npm publish --tag next', host });
      approver.decide(asked, { decision: 'allow-once' });
    }
    const events = await running;
    const said = events.map((event) => ('data' in event ? event.data : '')).join('');
    expect(said).toContain('+ one@1.2.3');
    expect(endOf(events)).toBe('exit 0');
    const put = seen.find(({ method }) => method === 'PUT');
    expect(put).toMatchObject({ url: '/one', authorization: `Bearer ${token}` });
    expect(JSON.parse(put?.body ?? '')).toMatchObject({ 'dist-tags': { next: '1.2.3' } });
    expect(said).not.toContain(token);
    expect(readdirSync(work)).not.toContain('ran');
  });
});
