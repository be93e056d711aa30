import { runVariable } from '../../shared/home/index.ts';

/** What one command sees: the caller's variables over the base; `INTERLOCK_*` is the runner's. */
export function commandEnvironment(
  base: Readonly<Record<string, string>>,
  asked: Readonly<Record<string, string>>,
  id: string,
): Record<string, string> {
  const own = Object.entries(asked).filter(([name]) => !name.startsWith('INTERLOCK_'));
  return { ...base, ...Object.fromEntries(own), [runVariable]: id };
}
