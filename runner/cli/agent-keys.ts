import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { refuse } from '../../shared/base/index.ts';
import { agentKeyFile, openHome } from '../../shared/home/index.ts';
import type { Home, HomePaths, SecretStoreKind } from '../../shared/home/index.ts';
import type { Principals } from '../principals/callers.ts';
import { createPrincipals } from '../principals/principals.ts';
import { CliError } from './failure.ts';
import type { Io } from './io.ts';

/** A key outside a home would open nothing. */
function requireHome({ home }: Pick<HomePaths, 'home'>): void {
  if (existsSync(home)) return;
  throw new CliError(`There is no Interlock home at ${home}.`, 'Run "interlock init" first.');
}

interface OpenAgents {
  readonly home: Home;
  readonly principals: Principals;
  readonly store: SecretStoreKind;
}

/** The agents of the home. The runner need not run; when it does, it sees a change at once. */
export async function openAgents(io: Io): Promise<OpenAgents> {
  const home = openHome(io.env);
  requireHome(home);
  const secrets = await home.openSecrets();
  const principals = createPrincipals({
    directory: home.keysDirectory,
    secrets,
    uid: home.uid,
    now: io.now,
    random: randomBytes,
  });
  return { home, principals, store: secrets.kind };
}

/** Keys that were taken away in a lockout come back only after a person has unlocked. */
export function requireUnlocked(home: Pick<Home, 'stopState'>): void {
  if (home.stopState().mode !== 'locked') return;
  throw refuse(
    'lockout-active',
    'Interlock is locked, and no key is issued until a person has unlocked it.',
    'Unlock first: interlock unlock',
  );
}

/** Where the runner keeps its copies of the keys, plainly. */
export function storeSentence(store: SecretStoreKind, { keysDirectory }: HomePaths): string {
  return store === 'keychain'
    ? "The runner's copies are in the system's keychain."
    : `The runner's copies are in 0600 files below ${keysDirectory}: no keychain answered. Programs of your user can read them.`;
}

/**
 * Sees to it that the agent has a key, so that its hook signs what it asks and nobody else can ask
 * in its name. Answers sentences about what was done; none where it has one.
 */
export async function ensureKey(io: Io, agent: string): Promise<readonly string[]> {
  const { home, principals, store } = await openAgents(io);
  const known = principals.list().find(({ name }) => name === agent);
  const hasKey = known !== undefined && known.keyedAt !== null;
  if (hasKey && existsSync(agentKeyFile(home.keysDirectory, agent))) return [];
  requireUnlocked(home);
  const { keyFile } = await (known === undefined ? principals.add(agent) : principals.rekey(agent));
  return [`The agent "${agent}" has a new key in ${keyFile}`, storeSentence(store, home)];
}

/** Who has a key again. */
export function restoredSentence(names: readonly string[]): string {
  return names.length === 0
    ? 'Every agent that should have a key has one.'
    : `New keys: ${names.join(', ')}. Their hooks sign with them from now on.`;
}

/** What is said on leaving. */
export function keyStays(agent: string): string {
  return `The key of "${agent}" stays. To take it away: interlock agents rm ${agent}`;
}
