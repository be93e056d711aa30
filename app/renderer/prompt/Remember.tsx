import { useEffect, useRef, useState } from 'react';
import type { Ref, RefObject } from 'react';
import { agentWords, holdsForAll } from '../../../shared/engine/index.ts';
import type { Ask, Proposal } from '../../../shared/engine/index.ts';
import { displayPlain } from '../../../shared/base/index.ts';
import { defaultPace } from '../../bridge/arming.ts';
import { captionOf } from '../../bridge/keys.ts';
import { Key } from '../primitives/Button.tsx';
import { Segments } from '../primitives/Segments.tsx';
import { useApp } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import type { Answering } from './useAnswer.ts';

/** The sentence of a rule, and whether it was in view, to its end, for as long as arming takes. */
interface Sentence {
  /** The paragraph; its first and last child are what has to be seen. */
  readonly box: RefObject<HTMLParagraphElement | null>;
  readonly read: boolean;
}

/**
 * Watches whether a sentence is seen. `shown` names what stands there: another sentence has to be
 * seen anew. What lies under an edge, or further down in a box that scrolls, was not seen.
 */
export function useSentence(shown: string): Sentence {
  const box = useRef<HTMLParagraphElement>(null);
  const pace = useApp((model) => model.state?.pace) ?? defaultPace;
  const [seen, setSeen] = useState('');
  const [read, setRead] = useState('');
  useEffect(() => {
    const ends = [...(box.current?.querySelectorAll('.offer-end') ?? [])];
    const found = new Set<Element>();
    const observer = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) found.add(target);
      if (ends.length === 2 && found.size === 2) setSeen(shown);
    });
    for (const element of ends) observer.observe(element);
    return () => observer.disconnect();
  }, [shown]);
  useEffect(() => {
    if (seen !== shown) return undefined;
    const timer = setTimeout(() => setRead(shown), pace.armDelayMs);
    return () => clearTimeout(timer);
  }, [seen, shown, pace.armDelayMs]);
  return { box, read: read === shown };
}

/** What a proposal covers, in the language of the page where it is told taken apart. */
export function OfferText({
  proposal: { clauses, sentence, rules },
}: {
  readonly proposal: Proposal;
}) {
  const { prompt, code } = useText();
  const [rule] = rules;
  if (prompt.hostOffer !== null && rule?.kind === 'egress')
    return <span lang={code}>{prompt.hostOffer(displayPlain(rule.pattern), rule.effect)}</span>;
  if (prompt.offer !== null && clauses !== undefined)
    return <span lang={code}>{prompt.offer(clauses)}</span>;
  return <span lang="en">{displayPlain(sentence)}</span>;
}

/** What the button beside "allow once" would allow, always in view above it. */
export function OfferSentence({ agent, answering, ref }: OfferProps) {
  const { prompt } = useText();
  const { proposal, duration, everyAgent } = answering;
  if (proposal === null) return null;
  return (
    // A keyboard has to be able to scroll what it cannot otherwise reach.
    <p ref={ref} className="offer small" role="status" tabIndex={0}>
      <span className="offer-end" />
      <OfferText proposal={proposal} />{' '}
      {holdsForAll(agent, duration, everyAgent)
        ? prompt.forEveryAgent
        : prompt.forAgent(displayPlain(agentWords(agent, prompt.unprovenAll)))}
      <span className="offer-end" />
    </p>
  );
}

interface OfferProps {
  readonly agent: string;
  readonly answering: Answering;
  readonly ref: Ref<HTMLParagraphElement>;
}

/** What of an ask keeps it from being remembered, as a word of the catalogue. */
function whyNotCode({ node, risk, whyCode = '' }: Ask): string {
  if (node !== undefined) return 'other-machine';
  return risk.level === 'high' ? 'high' : whyCode;
}

/** Why an answer is not remembered for good, where the runner says why. */
function NotForGood({ ask }: { readonly ask: Ask }) {
  const { prompt, codes } = useText();
  const { whyNotAlways } = ask;
  const own = codes.notAlways[whyNotCode(ask)];
  return (
    <p className="faint small">
      {prompt.noAlways}
      {whyNotAlways !== undefined &&
        (own === undefined ? (
          <span lang="en"> {displayPlain(whyNotAlways)}</span>
        ) : (
          <span> {own}</span>
        ))}
    </p>
  );
}

/** How long and how widely the answer holds that stands beside "allow once". */
export function Remember({ ask, answering }: { ask: Ask; answering: Answering }) {
  const { prompt } = useText();
  const { choices, duration, proposal } = answering;
  const { never } = choices;
  if (!choices.remember) return <NotForGood ask={ask} />;
  return (
    <section className="block" aria-label={prompt.remember}>
      {choices.proposals.length > 1 && (
        <Segments
          legend={`${prompt.covers} (${captionOf('widen').toUpperCase()})`}
          showLegend
          options={choices.proposals.map(({ id, scope }) => ({
            value: id,
            label: (ask.kind === 'exec' ? prompt.scopes : prompt.toolScopes)[scope],
          }))}
          value={proposal?.id ?? null}
          onChange={answering.setProposal}
        />
      )}
      {choices.durations.length > 1 && (
        <Segments
          legend={prompt.duration}
          showLegend
          options={choices.durations.map((each) => ({
            value: each,
            label: prompt.durations[each],
            shortcut: captionOf('duration', each),
          }))}
          value={duration === 'once' ? null : duration}
          onChange={answering.setDuration}
        />
      )}
      {choices.everyAgent && duration === 'always' && ask.agent !== '*' && (
        <Segments
          legend={`${prompt.whom} (${captionOf('everyone').toUpperCase()})`}
          showLegend
          options={[
            { value: 'this', label: displayPlain(ask.agent) },
            { value: 'every', label: prompt.everyAgent },
          ]}
          value={answering.everyAgent ? 'every' : 'this'}
          onChange={(whom) => answering.setEveryAgent(whom === 'every')}
        />
      )}
      {never !== null && (
        <p className="faint small">
          <Key name={captionOf('never')} /> <OfferText proposal={never} />
        </p>
      )}
      {proposal !== null && ask.kind !== 'egress' && (
        <PastCommands commands={proposal.pastCommands.filter((past) => past !== ask.command)} />
      )}
    </section>
  );
}

function PastCommands({ commands }: { readonly commands: readonly string[] }) {
  const { prompt } = useText();
  if (commands.length === 0) return <p className="faint small">{prompt.pastNone}</p>;
  return (
    <details className="past">
      <summary className="small">{prompt.past(commands.length)}</summary>
      <ul>
        {commands.map((command) => (
          <li key={command} className="mono small">
            {displayPlain(command)}
          </li>
        ))}
      </ul>
    </details>
  );
}
