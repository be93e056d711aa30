import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { refuse } from '../../shared/base/refusal.ts';
import {
  rotateToken,
  settleToken,
  tokenReader,
  tokenState,
} from '../../shared/home/approvals-token.ts';
import type { TokenStore } from '../../shared/home/approvals-token.ts';
import { openHome } from '../../shared/home/home.ts';
import type { Home } from '../../shared/home/home.ts';

const silent = refuse('config-invalid', 'The system keychain did not answer.', 'Unlock it.');

/** A store in memory that tells what it holds, and can fall silent. */
function memoryStore() {
  const kept = new Map<string, Uint8Array>();
  const world = { silent: false, asked: 0 };
  const answer = <T>(value: () => T): Promise<T> => {
    world.asked += 1;
    return world.silent ? Promise.reject(silent) : Promise.resolve(value());
  };
  const store: TokenStore = {
    get: (name) => answer(() => kept.get(name) ?? null),
    set: (name, value) => answer(() => void kept.set(name, value)),
    remove: (name) => answer(() => kept.delete(name)),
  };
  return { kept, world, openStore: async () => store };
}

async function someHome() {
  const home = mkdtempSync(join(tmpdir(), 'interlock-token-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const paths = openHome({ INTERLOCK_HOME: join(home, 'home') });
  await paths.init(() => 1);
  const store = memoryStore();
  const document = () => documentOf(paths);
  const read = tokenReader({ document, openStore: store.openStore });
  const settle = async (v1: boolean) =>
    settleToken(paths, { uid: paths.uid, v1, openStore: store.openStore });
  return { paths, store, read, settle, field: () => document().socket?.token ?? '' };
}

function documentOf(paths: Home) {
  const file = paths.readPolicy();
  if (!file.ok) throw new Error(file.problem.message);
  return file.document;
}

/** Everything below the home, as text. */
function textBelow(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names
    .map((name) => {
      try {
        return readFileSync(join(folder, name), 'utf8');
      } catch {
        return '';
      }
    })
    .join('\n');
}

test('turned off, version 1 leaves no token in the policy or its copy, and the old one is worthless', async () => {
  const { paths, store, read, settle, field } = await someHome();
  const old = field();
  expect(await settle(false)).toEqual({ rotated: true });
  expect(field()).toMatch(/^secret:[a-z0-9]{8}$/u);
  const token = await read();
  expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/u);
  expect(token).not.toBe(old);
  expect(store.kept.size).toBe(1);
  const written = textBelow(paths.home);
  expect(written).not.toContain(token);
  expect(written).not.toContain(old);
  expect(await settle(false)).toBeNull();
});

test('turned on again, the policy has a new token, and the store none', async () => {
  const { store, read, settle, field } = await someHome();
  await settle(false);
  const hidden = await read();
  expect(await settle(true)).toEqual({ rotated: true });
  expect(await read()).toBe(field());
  expect(field()).toMatch(/^[A-Za-z0-9_-]{43}$/u);
  expect(field()).not.toBe(hidden);
  expect(store.kept.size).toBe(0);
});

test('a reference is shorter than a token may be, so that who takes it for one accepts nobody', async () => {
  const { settle, field } = await someHome();
  await settle(false);
  expect(field().length).toBeLessThan(16);
});

test('a lockout rotates the token where it stands', async () => {
  const { paths, store, read, settle, field } = await someHome();
  const rotate = () => rotateToken(paths, { uid: paths.uid, openStore: store.openStore });
  const first = field();
  expect(await rotate()).toEqual({ rotated: true });
  expect(field()).not.toBe(first);
  expect(store.world.asked).toBe(0);
  await settle(false);
  const [reference, token] = [field(), await read()];
  expect(await rotate()).toEqual({ rotated: true });
  expect(field()).toMatch(/^secret:/u);
  expect(field()).not.toBe(reference);
  expect(await read()).not.toBe(token);
  expect(store.kept.size).toBe(1);
});

test('a store that does not answer moves nothing, and nobody is authenticated by a guess', async () => {
  const { store, read, settle, field, paths } = await someHome();
  const before = field();
  store.world.silent = true;
  expect(await settle(false)).toMatchObject({
    rotated: false,
    why: expect.stringContaining('did not answer'),
  });
  expect(field()).toBe(before);
  expect(await read()).toBe(before);
  store.world.silent = false;
  await settle(false);
  store.world.silent = true;
  await expect(read()).rejects.toMatchObject({ refusal: { code: 'config-invalid' } });
  const options = { uid: paths.uid, openStore: store.openStore };
  expect(await rotateToken(paths, options)).toMatchObject({ rotated: false });
});

test('a reference is asked for once, and a lost secret is replaced', async () => {
  const { store, read, settle, field } = await someHome();
  await settle(false);
  const token = await read();
  const { asked } = store.world;
  expect(await read()).toBe(token);
  expect(store.world.asked).toBe(asked);
  store.kept.clear();
  const reference = field();
  expect(await settle(false)).toEqual({ rotated: true });
  expect(field()).not.toBe(reference);
  expect(await read()).not.toBe(token);
});

test('a reader that comes while the token changes gets the new one', async () => {
  const { paths, store, settle } = await someHome();
  await settle(false);
  const rotate = async () => rotateToken(paths, { uid: paths.uid, openStore: store.openStore });
  let turned = false;
  const slow = tokenReader({
    document: () => documentOf(paths),
    openStore: async () => {
      if (!turned) await rotate();
      turned = true;
      return store.openStore();
    },
  });
  const fresh = tokenReader({ document: () => documentOf(paths), openStore: store.openStore });
  expect(await slow()).toBe(await fresh());
});

test.each(['secret:', 'secret:../../x', 'secret:ABCDEFGH', 'secret:abcdefgh0', 'secret:abcdefgh'])(
  '%s authenticates nobody',
  async (token) => {
    const { paths, store, read } = await someHome();
    const document = documentOf(paths);
    const edited = { ...document, socket: { ...document.socket, token } };
    writeFileSync(paths.policy, JSON.stringify(edited), { mode: 0o600 });
    await expect(read()).rejects.toMatchObject({ refusal: { code: 'config-invalid' } });
    expect(await tokenState(edited, { v1: false, openStore: store.openStore })).toBe('lost');
  },
);

test('a home whose settings turn version 1 off gets its token in the store from the first', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-token-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const paths = openHome({ INTERLOCK_HOME: join(folder, 'home') });
  await paths.init(() => 1);
  writeFileSync(paths.config, '{"version":1,"approvals":{"v1":false}}', { mode: 0o600 });
  rmSync(paths.policy);
  writeFileSync(join(paths.keysDirectory, 'store.json'), '{"kind":"file"}', { mode: 0o600 });
  await paths.init(() => 1);
  expect(documentOf(paths).socket?.token).toMatch(/^secret:[a-z0-9]{8}$/u);
  expect(await paths.tokens()()).toMatch(/^[A-Za-z0-9_-]{43}$/u);
});

test('of two that rotate at once both end well, and one secret is left', async () => {
  const { paths, store, read, settle } = await someHome();
  await settle(false);
  const rotate = async () => rotateToken(paths, { uid: paths.uid, openStore: store.openStore });
  expect(await Promise.all([rotate(), rotate(), rotate()])).toEqual(
    Array.from({ length: 3 }, () => ({ rotated: true })),
  );
  expect(await read()).not.toBeNull();
  expect(store.kept.size).toBe(1);
});
