import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { programOnPath, squidConfig } from './egress-others.ts';

describe('what ours is held against', () => {
  const folders: string[] = [];
  const folder = (): string => {
    const made = mkdtempSync(join(tmpdir(), 'il-others-'));
    folders.push(made);
    return made;
  };
  afterEach(() => {
    for (const each of folders.splice(0)) rmSync(each, { recursive: true });
  });

  it('is taken from the first folder of the path that has it as a program', () => {
    const [plain, first, second] = [folder(), folder(), folder()];
    for (const each of [plain, first, second]) writeFileSync(join(each, 'squid'), '');
    for (const each of [first, second]) chmodSync(join(each, 'squid'), 0o755);
    const path = ['', join(plain, 'none'), plain, first, second].join(delimiter);
    expect(programOnPath('squid', path)).toBe(join(first, 'squid'));
    expect(programOnPath('squid', plain)).toBeNull();
    expect(programOnPath('squid', '')).toBeNull();
  });

  it('serves this machine alone, and asks no name server for the address', () => {
    const lines = squidConfig(3128, '/tmp/some').split('\n');
    expect(lines.filter((line) => line.startsWith('http_'))).toEqual([
      'http_port 127.0.0.1:3128',
      'http_access allow local',
      'http_access deny all',
    ]);
    expect(lines).toContain('hosts_file /tmp/some/hosts');
  });
});
