import { lstatSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { refuse } from '../../shared/refusal/refusal.ts';

/**
 * Makes room for a socket: removes one that nobody answers on. Refuses to touch anything else,
 * and a socket that is in use.
 */
export async function clearStaleSocket(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isSocket()) {
    throw refuse(
      'config-invalid',
      `${path} is there already, and it is not a socket.`,
      'Choose another path.',
    );
  }
  if (await answers(path)) {
    throw refuse('concurrency-busy', `${path} is in use.`, 'Choose another path.');
  }
  unlinkSync(path);
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
}
