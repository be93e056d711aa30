import { useMemo } from 'react';
import type { PolicyDocument } from '../../../../shared/engine/index.ts';
import type { ImportFormat, ImportPreview } from '../../../../shared/wire/index.ts';
import { useAsking } from '../../state/asking.ts';
import { draftArgs, useDraft } from '../draft.ts';

/** The rules of one agent as a policy file of their own, without what was noted about their use. */
export function exportedRules(document: PolicyDocument, agent: string): string {
  const allowlist = (document.agents?.[agent]?.allowlist ?? []).map(
    ({
      lastUsedAt: _at,
      lastUsedCommand: _command,
      lastResolvedPath: _path,
      uses: _uses,
      ...rule
    }) => rule,
  );
  return `${JSON.stringify({ version: 1, agents: { [agent]: { allowlist } } }, null, 2)}\n`;
}

/** A file name that is valid on every file system. */
export function exportName(agent: string): string {
  return `interlock-rules-${agent === '*' ? 'everyone' : agent.replace(/[^A-Za-z0-9._-]/g, '_')}.json`;
}

/** The longest text that the bridge takes. */
export const longestText = 200_000;

export interface ImportSource {
  readonly text: string;
  readonly format: ImportFormat | 'any';
  /** Empty: as the file says. */
  readonly agent: string;
  /** Empty: as the file says. */
  readonly folder: string;
}

interface Preview {
  readonly preview: ImportPreview | null;
  /** A sentence: what is wrong with the text. */
  readonly problem: string | null;
  readonly reading: boolean;
}

/** What importing a file would add, updated as the text is typed. */
export function usePreview({ text, format, agent, folder }: ImportSource): Preview {
  const draft = useDraft((model) => model.draft);
  const edit = useMemo(() => draftArgs(draft), [draft]);
  const wanted = useMemo(() => {
    const usable = text.trim() !== '' && text.length <= longestText;
    if (!usable || !/^($|\/)/.test(folder)) return null;
    return {
      text,
      ...(format === 'any' ? {} : { format }),
      ...(agent === '' ? {} : { agent }),
      ...(folder === '' ? {} : { folder }),
      ...edit,
    };
  }, [text, format, agent, folder, edit]);
  const { answer, asking } = useAsking('importRules', wanted);
  return {
    preview: answer?.ok === true ? answer.result : null,
    problem: answer?.ok === false ? answer.refusal.message : null,
    reading: asking,
  };
}
