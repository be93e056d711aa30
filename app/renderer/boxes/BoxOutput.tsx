import { useEffect, useRef, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import type { BoxInfo } from '../../bridge/types.ts';
import { Segments } from '../primitives/Segments.tsx';
import { call, useApp } from '../state/app.ts';
import { useText } from '../state/preferences.ts';

/** How often a window is looked at while it is shown. */
const lookMs = 1_500;

interface Seen {
  readonly window: string;
  readonly lines: readonly string[];
  readonly problem: string | null;
}

/** What a window wrote last; null before that is known. Asks again only once it was answered. */
function useTail(name: string, window: string): Seen | null {
  const link = useApp((model) => model.link);
  const [seen, setSeen] = useState<Seen | null>(null);
  useEffect(() => {
    if (link !== 'open') return undefined;
    let timer: ReturnType<typeof setTimeout> | null = null;
    let isLeft = false;
    const look = async (): Promise<void> => {
      const answer = await call('boxTail', { name, window });
      if (isLeft) return;
      setSeen(
        answer.ok
          ? { window, lines: answer.result.lines, problem: null }
          : { window, lines: [], problem: answer.refusal.message },
      );
      timer = setTimeout(() => void look(), lookMs);
    };
    void look();
    return () => {
      isLeft = true;
      if (timer !== null) clearTimeout(timer);
    };
  }, [link, name, window]);
  return seen?.window === window ? seen : null;
}

/** The output of a box, as text: nothing that it wrote is obeyed, and nothing in it is a link. */
export function BoxOutput({ box: { name, kept } }: { readonly box: BoxInfo }) {
  const { boxes: words } = useText();
  const [chosen, setChosen] = useState<string | null>(null);
  const window = chosen !== null && kept.includes(chosen) ? chosen : (kept[0] ?? '');
  const seen = useTail(name, window);
  const shown = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  const text = (seen?.lines ?? []).map((line) => displayPlain(line)).join('\n');
  useEffect(() => {
    if (isAtEnd.current) shown.current?.scrollTo({ top: shown.current.scrollHeight });
  });
  return (
    <div className="box-output">
      {kept.length > 1 && (
        <Segments
          legend={words.windows}
          options={kept.map((one) => ({ value: one, label: displayPlain(one) }))}
          value={window}
          onChange={(one) => {
            isAtEnd.current = true;
            setChosen(one);
          }}
        />
      )}
      {seen !== null && seen.problem !== null && (
        <p className="field-problem" role="alert">
          {displayPlain(seen.problem)}
        </p>
      )}
      <pre
        ref={shown}
        className="mono small box-lines"
        role="region"
        aria-label={words.outputOf(displayPlain(window), name)}
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 8;
        }}
      >
        {seen === null ? '' : text === '' && seen.problem === null ? words.noOutput : text}
      </pre>
      <p className="faint small">{words.outputNote}</p>
    </div>
  );
}
