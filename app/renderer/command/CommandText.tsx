import { useEffect, useMemo, useRef, useState } from 'react';
import type { Ask } from '../../../shared/engine/index.ts';
import { Button } from '../primitives/Button.tsx';
import { useText } from '../state/preferences.ts';
import { hyphenated } from '../text/format.ts';
import { commandSegments, pageEnd } from './segments.ts';
import type { CommandSegment } from './segments.ts';
import './command.css';

/** A word with a hyphen stays whole: `--force` cut after its hyphens reads as two options. */
function Words({ text }: { readonly text: string }) {
  if (!text.includes('-')) return <>{text}</>;
  return (
    <>
      {hyphenated(text).map(({ word, whole }, index) =>
        whole ? (
          // oxlint-disable-next-line react/no-array-index-key
          <span key={index} className="whole">
            {word}
          </span>
        ) : (
          word
        ),
      )}
    </>
  );
}

function Stretch({ segment, numbered }: { segment: CommandSegment; numbered: boolean }) {
  const classes = [
    'stretch',
    segment.kind === 'text' ? '' : `stretch-${segment.kind}`,
    numbered && segment.stage === null ? 'stretch-between' : '',
    segment.mark === null ? '' : `stretch-${segment.mark}`,
  ];
  const content =
    segment.kind === 'newline' ? (
      <>
        <span className="newline-sign" aria-hidden="true" />
        {'\n'}
      </>
    ) : (
      <Words text={segment.text} />
    );
  const opens = numbered && segment.opens !== null ? segment.opens : undefined;
  const name = classes.filter(Boolean).join(' ');
  if (segment.mark === 'high' || segment.mark === 'low') {
    return (
      <mark className={name} data-opens={opens} title={segment.meaning ?? undefined}>
        {content}
      </mark>
    );
  }
  return (
    <span className={name} data-opens={opens} title={segment.meaning ?? undefined}>
      {content}
    </span>
  );
}

/** The whole command: wrapped, selectable, scrolling when it is long, never cut. */
export function CommandText({ ask }: { readonly ask: Ask }) {
  const text = useText();
  const segments = useMemo(() => commandSegments(ask), [ask]);
  const [end, setEnd] = useState(() => pageEnd(segments, 0));
  const box = useRef<HTMLDivElement>(null);
  const [below, setBelow] = useState(false);
  const numbered = ask.stages.filter(({ span }) => span !== null).length > 1;
  const rest = segments.slice(end).reduce((sum, segment) => sum + segment.text.length, 0);

  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const look = (): void =>
      setBelow(element.scrollHeight - element.scrollTop - element.clientHeight > 4);
    look();
    element.addEventListener('scroll', look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    const content = element.firstElementChild;
    if (content !== null) observer.observe(content);
    return () => {
      element.removeEventListener('scroll', look);
      observer.disconnect();
    };
  }, []);

  return (
    <div className={`command ${ask.risk.level === 'high' ? 'command-high' : ''}`}>
      <div
        ref={box}
        className="command-box"
        role="region"
        aria-label={text.prompt.commandScroll}
        // A keyboard has to be able to scroll what it cannot otherwise reach.
        tabIndex={0}
      >
        <pre className="command-text">
          <code>
            {segments.slice(0, end).map((segment, index) => (
              // oxlint-disable-next-line react/no-array-index-key
              <Stretch key={index} segment={segment} numbered={numbered} />
            ))}
          </code>
        </pre>
        {rest > 0 && (
          <Button small look="accent" onClick={() => setEnd(pageEnd(segments, end))}>
            {text.prompt.showRest(rest.toLocaleString(text.code))}
          </Button>
        )}
      </div>
      {(below || rest > 0) && (
        <p className="command-below" aria-hidden="true">
          {text.prompt.moreBelow}
        </p>
      )}
    </div>
  );
}
