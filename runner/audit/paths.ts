import { join } from 'node:path';

/** The checkpoint of the log below `directory`. */
export function checkpointPath(directory: string): string {
  return join(directory, 'checkpoint');
}
