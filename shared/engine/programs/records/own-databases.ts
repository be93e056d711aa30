import { valuesOf } from '../forms.ts';
import type { Reading } from '../types.ts';

/** A socket where only a service of the system makes one: what answers at another may ask for files. */
const ownHost =
  /^(?:localhost|127\.0\.0\.1|::1|\/(?:var\/)?run\/(?:postgresql|mysqld|mariadb)(?:\/[\w-][\w.-]*)?\/?|\/var\/lib\/mysql\/[\w-][\w.-]*|\/tmp\/?|\/tmp\/mysql\.sock)?$/;
const ownAddress =
  /^(?:postgres(?:ql)?|mysql|mariadb|redis):\/\/(?:[\w.-]+(?::[^@/]*)?@)?(?:localhost|127\.0\.0\.1|\[::1\])?(?::\d+)?(?:\/[\w-]*)?$/;
/** A tunnel can make any of these one of this machine. */
const ofOthers = /prod|live|stag/i;

/** Whether all that is named are databases of this machine, and none is called as those of others are. */
export function isHere(
  reading: Reading,
  hosts: readonly string[],
  names: readonly string[],
): boolean {
  const named = [...valuesOf(reading, ...names), ...reading.operands.map(({ text }) => text)];
  return (
    valuesOf(reading, ...hosts).every((host) => ownHost.test(host)) &&
    named.every((one) => !ofOthers.test(one) && (/^[\w-]+$/.test(one) || ownAddress.test(one)))
  );
}
