import { machineSocket } from '../../../../shared/node/home/client-socket.ts';
import { machineUnitFile } from '../../../../shared/node/service/places.ts';

/** What the service of the whole machine is called, and where its things are. */
export interface SystemNames {
  /** The runner's own user and group. */
  readonly account: string;
  /** The group whose members may knock at the shared socket. */
  readonly group: string;
  /** Home folder of that user; its INTERLOCK_HOME is the usual `.interlock` in it. */
  readonly folder: string;
  readonly socket: string;
  readonly unitFile: string;
}

export const systemNames: SystemNames = {
  account: 'interlock',
  group: 'interlock-users',
  folder: '/var/lib/interlock',
  socket: machineSocket,
  unitFile: machineUnitFile,
};
