import { existsSync, readFileSync } from 'node:fs';
import { hookProgramPath } from '../../../shared/adapters/hook-command.ts';
import type { AgentHost } from '../../../shared/adapters/types.ts';
import { askedTwice } from '../../../shared/agent-hooks/twice.ts';
import { hookFile } from '../../../shared/node/agent-hooks/places.ts';
import type { Io } from '../io.ts';

/** A sentence where the host has the hook in its other settings too, of the person or of the folder. */
export function twice(host: AgentHost, project: string | null, io: Io): readonly string[] {
  const here = hookFile(host, { env: io.env, project });
  const folder = project === null ? folderOf(io) : null;
  if (project === null && folder === null) return [];
  const other = hookFile(host, { env: io.env, project: folder });
  const hasBoth =
    here !== other && existsSync(other) && readFileSync(other, 'utf8').includes(hookProgramPath);
  return hasBoth ? [askedTwice(host)] : [];
}

/** Null where the folder is gone. */
function folderOf({ cwd }: Pick<Io, 'cwd'>): string | null {
  try {
    return cwd();
  } catch {
    return null;
  }
}
