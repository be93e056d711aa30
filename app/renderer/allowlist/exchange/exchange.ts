import { useEffect, useState } from 'react';
import type { PolicyDocument } from '../../../../shared/engine/index.ts';
import type { ImportFormat, ImportPreview } from '../../../../shared/wire/index.ts';
import { call } from '../../state/app.ts';
import { useDraft } from '../draft.ts';

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

/** A name for the file that every file system takes. */
export function exportName(agent: string): string {
  return `interlock-rules-${agent === '*' ? 'everyone' : agent.replace(/[^A-Za-z0-9._-]/g, '_')}.json`;
}

/** The bridge takes no longer text. */
export const longestText = 200_000;
const typingPause = 250;

export interface ImportSource {
  readonly text: string;
  readonly format: ImportFormat | 'any';
  /** Empty: as the file says. */
  readonly agent: string;
  /** Empty: as the file says. */
  readonly folder: string;
}

export interface Preview {
  readonly preview: ImportPreview | null;
  /** A sentence: what is wrong with the text. */
  readonly problem: string | null;
  readonly reading: boolean;
}

const nothing: Preview = { preview: null, problem: null, reading: false };

/** What a rule file would bring, read again while it is typed. */
export function usePreview(source: ImportSource): Preview {
  const { text, format, agent, folder } = source;
  const document = useDraft(({ draft }) => draft?.document);
  const [state, setState] = useState<Preview>(nothing);
  useEffect(() => {
    const usable = text.trim() !== '' && text.length <= longestText;
    if (!usable || !/^($|\/)/.test(folder)) {
      setState(nothing);
      return undefined;
    }
    let current = true;
    setState((old) => ({ ...old, reading: true }));
    const timer = setTimeout(async () => {
      const answer = await call('importRules', {
        text,
        ...(format === 'any' ? {} : { format }),
        ...(agent === '' ? {} : { agent }),
        ...(folder === '' ? {} : { folder }),
        ...(document === undefined ? {} : { document }),
      });
      if (!current) return;
      setState(
        answer.ok
          ? { preview: answer.result, problem: null, reading: false }
          : { preview: null, problem: answer.refusal.message, reading: false },
      );
    }, typingPause);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [text, format, agent, folder, document]);
  return state;
}
