import { messageOf } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import type { NamedSecrets } from '../../shared/home/index.ts';
import type { Log } from '../service/log.ts';

export interface SecretsOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly secrets: () => Promise<Pick<NamedSecrets, 'get' | 'used'>>;
  readonly log: Pick<Log, 'warn'>;
}

/** A keychain is slow to ask; a value that was changed is taken up after this. */
const secretMs = 10_000;

/** That a secret is in use is written down no more often than this. */
const notedMs = 60_000;

/** Gives secrets by their names, null where there is none, and writes down that they were used, and by whom. */
export function secretsOf({
  secrets,
  clock,
  log,
}: SecretsOptions): (name: string, by: string) => Promise<string | null> {
  const known = new Map<string, { readonly value: Promise<string | null>; readonly at: number }>();
  const read = async (name: string): Promise<string | null> => {
    const value = await (await secrets()).get(name);
    return value === null ? null : value.toString('utf8');
  };
  const valueOf = async (name: string): Promise<string | null> => {
    const found = known.get(name);
    if (found !== undefined && clock.elapsed() - found.at < secretMs) return found.value;
    const value = read(name);
    known.set(name, { value, at: clock.elapsed() });
    // What could not be read, or is not there yet, is looked for again at once.
    value.then(
      (text) => text === null && known.delete(name),
      () => known.delete(name),
    );
    return value;
  };
  const noted = new Map<string, number>();
  const note = (name: string, by: string): void => {
    const key = `${name} ${by}`;
    const before = noted.get(key);
    if (before !== undefined && clock.elapsed() - before < notedMs) return;
    noted.set(key, clock.elapsed());
    // Nobody waits for it.
    void secrets()
      .then(async (kept) => kept.used([name], by))
      .catch((error: unknown) =>
        log.warn(`When ${name} was used could not be written down: ${messageOf(error)}`),
      );
  };
  return async (name, by) => {
    const value = await valueOf(name);
    if (value !== null) note(name, by);
    return value;
  };
}
