import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = new URL('../../..', import.meta.url).pathname;

/** The releases that were read, and what the registry says they hash to. */
const reviewed: Readonly<Record<string, readonly [version: string, integrity: string]>> = {
  'node-ipc': [
    '14.0.0',
    'sha512-d5+aogND4Gk6aQkW5KCibliM4Mn12+isHXt8wFghO4Bn0gBSnev3TXJWQ4eEnzrlh5gCG+nwQEZwyayeDtQxQA==',
  ],
  'event-pubsub': [
    '6.1.1',
    'sha512-08nRrPDOAI5QtM/iQRVIs9DiWyFiyG8VCKf/4i71xQAurXm07exshjSY80wSHJMsHPw9cpUxzJPpXjMyHeBTZw==',
  ],
  'strong-type': [
    '2.0.0',
    'sha512-HHrY9qYC7yn+5mlewiI3k9RQM9gZqGQsqbomZcd10Ks0h4RlX01nnkWbCe4AsVPCI6KaFvpkWm1nHMD+Ykup6g==',
  ],
  'js-message': [
    '3.1.0',
    'sha512-k9iKFwzyAbz8gDJXIvIohSBaXeG3PvFzVwUccaDf0vv8LbEMpOvUfpyE6MGrlovliFdhTBUcIvXfSxOZkorWhA==',
  ],
  'js-queue': [
    '3.1.0',
    'sha512-qENB7XiNpXyxg6132Bwz08uq8GQyaVhD53O41d1F45aCHbKD82bkgZYHWqBGsWggDy8KuY5mPzG7oDnUV7Mn8A==',
  ],
  'easy-stack': [
    '2.1.0',
    'sha512-ZpUD5AJeKhRic1RrajfGKuLl721bCeIpnAj1i7BtlC1XX5Mb52ku3e9pDWryV32yndd28ZyqdVsVcBuI7WY2Iw==',
  ],
};

interface Lock {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly version: string;
        readonly integrity?: string;
        readonly hasInstallScript?: boolean;
        readonly dependencies?: Readonly<Record<string, string>>;
      }
    >
  >;
}

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (/\.[cm]?tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts')) yield path;
  }
}

describe('node-ipc, which carried hostile code twice', () => {
  it.each(Object.entries(reviewed))(
    'is locked to what was reviewed: %s',
    (name, [version, hash]) => {
      const copies = Object.entries(lock.packages).filter(([path]) =>
        path.endsWith(`node_modules/${name}`),
      );
      expect(copies.length).toBeGreaterThan(0);
      for (const [, entry] of copies) {
        expect([entry.version, entry.integrity]).toEqual([version, hash]);
        expect(entry.hasInstallScript).toBeUndefined();
      }
    },
  );

  it('brings nothing along that was not reviewed', () => {
    const reached = new Set(['node-ipc']);
    for (const name of reached) {
      for (const next of Object.keys(lock.packages[`node_modules/${name}`]?.dependencies ?? {})) {
        reached.add(next);
      }
    }
    expect([...reached].toSorted()).toEqual(Object.keys(reviewed).toSorted());
  });

  it('is asked for by its exact version', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    expect(manifest.dependencies['node-ipc']).toBe('14.0.0');
  });

  it('is imported by one file only', () => {
    const importers = ['shared', 'runner', 'app']
      .flatMap((folder) => [...sources(join(root, folder))])
      .filter((path) => /from 'node-ipc|import\('node-ipc/.test(readFileSync(path, 'utf8')))
      .map((path) => path.slice(root.length));
    expect(importers).toEqual(['shared/ipc/transport/ipc.ts']);
  });
});
