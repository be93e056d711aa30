import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  launchdAgentFile,
  machineUnitFile,
  systemdUnitFile,
  unitName,
} from '../../service/places.ts';
import type { HealthOptions } from '../types.ts';
import type { FoundService } from './types.ts';

/** The service of this home, of the person's own or of the machine's; null when there is none. */
export function findService({
  env,
  paths,
  platform,
}: Pick<HealthOptions, 'env' | 'paths' | 'platform'>): FoundService | null {
  const person = env['HOME'] ?? homedir();
  const files =
    platform === 'darwin'
      ? [launchdAgentFile(person)]
      : platform === 'linux'
        ? [systemdUnitFile(env, person), machineUnitFile]
        : [];
  for (const file of files) {
    const text = textOf(file);
    if (text === null) continue;
    const words = wordsOf(text);
    if (!words.some((word) => word.endsWith(paths.home))) continue;
    const gone = words.filter((word) => word.startsWith('/') && !existsSync(word));
    return { file, gone, isEnabled: isEnabled(file) };
  }
  return null;
}

/** All that our templates write in quotes or as strings: programs, and `INTERLOCK_HOME=…`. */
export function wordsOf(text: string): readonly string[] {
  if (!text.includes('[Service]'))
    return [...text.matchAll(/<string>([^<]*)<\/string>/gu)]
      .map(([, word = '']) => unescapedXml(word))
      .filter((word) => !word.includes(':'));
  const lines = text.split('\n').filter((line) => /^(?:ExecStart|Environment)=/u.test(line));
  return lines.flatMap((line) =>
    [...line.matchAll(/"((?:[^"\\]|\\.)*)"/gu)].map(([, word = '']) =>
      word.replaceAll(/\\(.)/gu, '$1').replaceAll('%%', '%').replaceAll('$$', '$'),
    ),
  );
}

function unescapedXml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

/** systemd keeps a link in the folder of what wants the unit. */
function isEnabled(file: string): boolean | null {
  if (!file.endsWith(unitName)) return null;
  return ['default.target.wants', 'multi-user.target.wants'].some((target) =>
    existsSync(join(dirname(file), target, unitName)),
  );
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
