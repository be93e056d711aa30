import type { RequestKind } from '../policy/types.ts';

/** How far somebody is trusted, most trusted first. */
export const trustLevels = ['owner', 'full', 'inner', 'familiar', 'public'] as const;
export type TrustLevel = (typeof trustLevels)[number];

/** The least trusted of some levels; `owner` of none. */
export function leastTrusted(levels: readonly TrustLevel[]): TrustLevel {
  const rank = Math.max(0, ...levels.map((level) => trustLevels.indexOf(level)));
  return trustLevels[rank] ?? 'public';
}

/** What a level may have done at most; what is asked and what is refused beyond that say the rules. */
export interface Abilities {
  /** Where commands run: wherever the settings say, in the sandbox alone, or nowhere. */
  readonly shell: 'as-configured' | 'sandbox' | 'none';
  /** What an agent's own tools may do with files; `workspace`: read and write below the workspace. */
  readonly files: 'any' | 'workspace' | 'read' | 'none';
  /** Whether an agent may fetch from the network and use MCP servers. */
  readonly otherTools: boolean;
}

const abilities: Readonly<Record<TrustLevel, Abilities>> = {
  owner: { shell: 'as-configured', files: 'any', otherTools: true },
  full: { shell: 'sandbox', files: 'workspace', otherTools: true },
  inner: { shell: 'sandbox', files: 'workspace', otherTools: false },
  familiar: { shell: 'none', files: 'read', otherTools: false },
  public: { shell: 'none', files: 'none', otherTools: false },
};

/** What this level may have done at most. */
export function abilitiesOf(level: TrustLevel): Abilities {
  return abilities[level];
}

export type MemoryStore = 'private' | 'shared' | 'social';

const stores: Readonly<Record<TrustLevel, readonly MemoryStore[]>> = {
  owner: ['private', 'shared', 'social'],
  full: ['private', 'shared', 'social'],
  inner: ['shared', 'social'],
  familiar: ['social'],
  public: [],
};

/** Which of its memories an agent may open for this level. Interlock keeps none; agents ask. */
export function memoryStores(level: TrustLevel): readonly MemoryStore[] {
  return stores[level];
}

/** What is about to happen, as far as a level has a say in it. */
interface Deed {
  readonly kind: RequestKind;
  readonly host: string;
  /** Whether all files of an edit lie in the workspace. Called for edits alone. */
  readonly isInWorkspace: () => boolean;
}

/** Why this level may not have that done, in a sentence; null where the rules are to decide. */
export function barredBy(level: TrustLevel, deed: Deed): string | null {
  const { shell, files, otherTools } = abilities[level];
  const who = `Who asks counts as "${level}" here`;
  if (deed.kind === 'exec') {
    if (shell === 'none') return `${who}, and that level runs no commands.`;
    if (shell === 'sandbox' && deed.host !== 'sandbox')
      return `${who}, and commands of that level run in the sandbox alone.`;
    return null;
  }
  if (deed.kind === 'edit') {
    if (files === 'read' || files === 'none') return `${who}, and that level changes no files.`;
    if (files === 'workspace' && !deed.isInWorkspace())
      return `${who}, and that level changes files in the workspace alone.`;
    return null;
  }
  return otherTools
    ? null
    : `${who}, and that level uses no tools but the shell and those for files.`;
}
