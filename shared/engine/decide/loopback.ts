import { asksOnlyAddresses, looksAtProcesses, portOfProgram } from '../programs/unasked.ts';
import type { RiskSubject } from '../risk/subject.ts';
import type { SessionBox } from './types.ts';

/** What a decision knows of servers and processes that commands of a sandbox may be about. */
export interface Nearby {
  /** The box of the session, where something goes on in it. */
  readonly box: SessionBox | null;
  /** Whether something on this machine listens on a TCP port; where that is not known, it does. */
  readonly isServedHere: (port: number) => boolean;
  /** The sandbox has no way out at all, so that no option and no answer leads elsewhere. */
  readonly isOffline: boolean;
}

const ownMachine =
  /^(?:[a-z]+:\/\/)?(?:[^/@]*@)?(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0|[\w-]+\.localhost)(?::(?![^/]*@)|[/?#]|$)/i;

/** Whether an address is one of this machine's own loopback. */
export function isOwnMachine(address: string): boolean {
  return ownMachine.test(address);
}

const portOfScheme: Readonly<Record<string, number>> = {
  'https:': 443,
  'wss:': 443,
  'ftp:': 21,
  'postgres:': 5432,
  'postgresql:': 5432,
  'mysql:': 3306,
  'redis:': 6379,
};

/** The port that an address of this machine means for a program; null where that cannot be told. */
function portOf(address: string, { name, args }: RiskSubject): number | null {
  const written = /^(?:[a-z]+:\/\/)?(?:[^/@]*@)?(?:\[[^\]]*\]|[^:/?#]*):(\d{1,5})(?=[/?#]|$)/i.exec(
    address,
  );
  if (written !== null) return Number(written[1]);
  const scheme = /^[a-z]+:(?=\/\/)/i.exec(address)?.[0].toLowerCase();
  if (scheme !== undefined) return portOfScheme[scheme] ?? (scheme === 'http:' ? 80 : null);
  const own = portOfProgram(name);
  if (own === null || own === 80) return own;
  const said = / (?:-[pP] ?|--port[= ])(\d{1,5})(?= |$)/.exec(` ${args.join(' ')}`);
  return said === null ? own : Number(said[1]);
}

/** Addresses of this machine that a program reaches; null where it reaches others, too, or none. */
function ownAddresses({ reading }: RiskSubject): readonly string[] | null {
  const reached = (reading?.effects ?? []).flatMap((one) =>
    one.kind === 'reaches' ? [one.address] : [],
  );
  return reached.length > 0 && reached.every(isOwnMachine) ? reached : null;
}

/**
 * Whether all that a program reaches are servers of its session's box, or ports on which nothing of
 * this machine is served, so that it finds there nothing that it would not find in a sandbox.
 */
export function needsNoServerHere(subject: RiskSubject, nearby: Nearby): boolean {
  const { box, isServedHere, isOffline } = nearby;
  if (!isOffline && !(asksPlainly(subject) && isAboutBox(subject, nearby))) return false;
  const ports = ownAddresses(subject)?.map((address) => portOf(address, subject));
  return (
    ports?.every(
      (port) => port !== null && (box?.ports().has(port) === true || !isServedHere(port)),
    ) === true
  );
}

/** Where there is a filtered way out: nothing in the words leads from the address to that. */
function asksPlainly({ name, args, assignments }: RiskSubject): boolean {
  return assignments.length === 0 && asksOnlyAddresses(name, args);
}

/** Whether a program is about processes that are in its session's box. */
export function isAboutProcessesOf(box: SessionBox | null, { name, args }: RiskSubject): boolean {
  if (box === null) return false;
  if (name !== 'kill') return looksAtProcesses(name);
  const words = args.join(' ').replace(/^(?:-(?:[sn] )?\w+ )?(?:-- )?/, '');
  const named = words.split(' ');
  return named.every((word) => /^-?[1-9]\d*$/.test(word) && box.has(Math.abs(Number(word))));
}

/** Whether a program talks to what goes on in its session's box. */
export function isAboutBox(subject: RiskSubject, { box }: Nearby): boolean {
  if (box === null) return false;
  if (isAboutProcessesOf(box, subject)) return true;
  return ownAddresses(subject)?.some((address) => isServedBy(box, address, subject)) === true;
}

function isServedBy(box: SessionBox, address: string, subject: RiskSubject): boolean {
  const port = portOf(address, subject);
  return port !== null && box.ports().has(port);
}
