import type { SettingName } from '../bridge/settings.ts';
import type { ShellFacts } from './types.ts';

/** The facts of a shell that honours these settings, has no shortcuts and ships no runner. */
export function plainFacts(honoured: readonly SettingName[]): ShellFacts {
  return {
    honoured,
    taken: () => [],
    startRunner: () => null,
    onChange: () => undefined,
  };
}
