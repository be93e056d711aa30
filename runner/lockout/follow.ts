import type { Clock } from '../../shared/base/index.ts';
import {
  prepareReadyLock,
  stopNotesToWatch,
  takeStopNotes,
  watchFile,
} from '../../shared/home/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import type { AuditLog } from '../audit/rows.ts';
import type { Log } from '../service/log.ts';
import type { StopSwitch } from './stop-switch.ts';

interface FollowOptions {
  readonly paths: Pick<HomePaths, 'lockout' | 'pause'>;
  readonly uid: number;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn' | 'error'>;
  readonly audit: Pick<AuditLog, 'append'>;
}

/**
 * Follows what other processes do to the stop switch: a lock made without the runner stops
 * everything here too, and what they noted goes into the audit log. Answers how to stop following.
 */
export function followStopFiles(
  { stops }: { readonly stops: Pick<StopSwitch, 'look' | 'state'> },
  { paths, uid, clock, log, audit }: FollowOptions,
): () => void {
  const takeNotes = (): void => {
    try {
      takeStopNotes(paths, uid, (note) => {
        const at = clock.now();
        if ('damaged' in note)
          audit.append({ type: 'note', at, code: 'stop-note-damaged', text: note.damaged });
        else {
          const { code, by, text } = note;
          const told = JSON.stringify({ at: new Date(note.at).toISOString(), by, text });
          audit.append({ type: 'note', at, code: `${code}-elsewhere`, text: told });
        }
      });
    } catch (error) {
      // They stay where they are, and are taken at the next look.
      log.error('Notes about the stop switch could not be taken into the log', error);
    }
  };
  const look = (): void => {
    stops.look();
    takeNotes();
  };
  const watches: (() => void)[] = [];
  const stopAll = (): void => {
    for (const stop of watches) stop();
  };
  try {
    watches.push(watchFile(paths.lockout, { clock, look }));
    watches.push(watchFile(paths.pause, { clock, look }));
  } catch (error) {
    stopAll();
    throw error;
  }
  try {
    watches.push(watchFile(stopNotesToWatch(paths, uid), { clock, look: takeNotes }));
  } catch (error) {
    log.warn(`Notes about the stop switch are taken at each look only: ${String(error)}`);
  }
  try {
    if (stops.state().mode !== 'locked') prepareReadyLock(paths, uid);
  } catch (error) {
    log.warn(`No lock could be made ready for the case of a full disk: ${String(error)}`);
  }
  return stopAll;
}
