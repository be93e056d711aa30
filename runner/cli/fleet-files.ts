import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { displayPlain, messageOf } from '../../shared/base/index.ts';
import type { Home } from '../../shared/home/index.ts';
import type { Fleet } from '../fleet/files.ts';
import { readSeat } from '../service/call-nodes.ts';
import type { FleetSeat } from '../service/call-nodes.ts';
import { CliError } from './failure.ts';

/** What the commands for a fleet read and write: its keys, and files that a person carries. */

/** The seat of this machine in its fleet. Throws a `CliError` where it has none. */
export function seatOf(home: Home): FleetSeat {
  const seat = readSeat(home, home.uid);
  if (seat !== null) return seat;
  throw new CliError(
    'This machine is the gateway of no fleet.',
    'Make one: interlock fleet init --server tls://HOST:PORT',
  );
}

/** What only the gateway has that made the fleet. Throws a `CliError` at any other. */
export function fleetOf(home: Home): Fleet {
  const { fleet } = seatOf(home);
  if (fleet !== null) return fleet;
  throw new CliError(
    'This machine is a further gateway of its fleet.',
    'Say it at the gateway that made the fleet: "interlock fleet gateway list" names it.',
  );
}

/** The text of a file that a person has named. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(`${displayPlain(path)} cannot be read.`, 'Say a file of PEM.', {
      cause: error,
    });
  }
}

/** Writes a file that was not there before, for its owner alone. */
export function writeNew(path: string, text: string): void {
  try {
    const fd = openSync(path, 'wx', 0o600);
    try {
      writeSync(fd, text);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw new CliError(
      `${displayPlain(path)} cannot be written: ${messageOf(error)}`,
      'Say another --output; a file that is there is not replaced.',
      { cause: error },
    );
  }
}
