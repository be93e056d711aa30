import { defaultConfig } from '../../shared/config/defaults.ts';
import { parseConfig } from '../../shared/config/parse.ts';
import type { Config } from '../../shared/config/types.ts';
import { readPrivateFile } from '../../shared/node/files/private-file.ts';
import { refuse, RefusalError } from '../../shared/refusal/refusal.ts';
import type { Refusal } from '../../shared/refusal/refusal.ts';
import { stampOf } from './policy-store.ts';

const maxConfigBytes = 1024 * 1024;

export interface ConfigStore {
  /** Throws `config-invalid` while the file is not valid. */
  current(): Config;
  /** Null when the file is valid. */
  problem(): Refusal | null;
}

type Loaded =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problem: Refusal };

/** `config.json`, read again when it has changed. Without a file the defaults hold. */
export function createConfigStore(path: string, uid: number): ConfigStore {
  let stamp = '';
  let loaded: Loaded = { ok: true, config: defaultConfig };
  const load = (): Loaded => {
    const now = stampOf(path);
    if (now !== stamp) {
      stamp = now;
      loaded = read(path, uid);
    }
    return loaded;
  };
  return {
    current: () => {
      const now = load();
      if (!now.ok) throw new RefusalError(now.problem);
      return now.config;
    },
    problem: () => {
      const now = load();
      return now.ok ? null : now.problem;
    },
  };
}

function read(path: string, uid: number): Loaded {
  const file = readPrivateFile(path, { uid, maxBytes: maxConfigBytes });
  if (file.kind === 'missing') return { ok: true, config: defaultConfig };
  if (file.kind === 'text') return parseConfig(file.text);
  const { refusal } = refuse(
    'config-invalid',
    `${path} ${file.why}.`,
    'Mend the file, or move it away to use the defaults.',
  );
  return { ok: false, problem: refusal };
}
