import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { mountsNow } from '../../shared/home/mounts.ts';

const canMount = process.platform === 'linux' && process.geteuid?.() === 0;

test.skipIf(!canMount)(
  'the list of mounts is another one after each mount and each end of one',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'il-mounts-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const seen = [mountsNow()];
    execFileSync('mount', ['-t', 'tmpfs', 'none', folder]);
    seen.push(mountsNow());
    execFileSync('umount', [folder]);
    seen.push(mountsNow());
    expect(seen).not.toContain(null);
    expect(new Set(seen).size).toBe(3);
  },
);
