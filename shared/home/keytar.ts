import type { Keychain } from './secrets.ts';

/**
 * The one place that loads keytar. Null where it is not installed or its native part does not load
 * (docs/decisions/0003-keytar-fenced.md).
 */
export async function loadKeytar(): Promise<Keychain | null> {
  try {
    const { default: keytar } = await import('keytar');
    return keytar;
  } catch {
    return null;
  }
}
