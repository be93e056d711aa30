import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';

const leave = `
const server = require('node:net').createServer();
server.listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'));
`;

/** Leaves a socket file behind on which nobody listens: a process that was killed made it. */
export function leaveStaleSocket(path: string): void {
  spawnSync(process.execPath, ['-e', leave, path], { stdio: 'ignore' });
  chmodSync(path, 0o600);
}
