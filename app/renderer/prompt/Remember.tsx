import { grantDurations } from '../../../shared/engine/index.ts';
import type { Ask } from '../../../shared/engine/index.ts';
import { displayPlain } from '../../../shared/base/index.ts';
import { captionOf } from '../../bridge/keys.ts';
import { Segments } from '../primitives/Segments.tsx';
import { useText } from '../state/preferences.ts';
import type { Answering } from './useAnswer.ts';

/** How long and how widely to allow, with a live sentence about what the rule would match. */
export function Remember({ ask, answering }: { ask: Ask; answering: Answering }) {
  const { prompt } = useText();
  const { choices, duration, proposalId } = answering;
  if (!choices.remember) return <p className="faint small">{prompt.noAlways}</p>;
  const offered = grantDurations.filter(
    (each) => each === 'once' || choices.durations.some((known) => known === each),
  );
  const proposal = choices.proposals.find(({ id }) => id === proposalId);
  return (
    <section className="block" aria-label={prompt.remember}>
      <Segments
        legend={prompt.duration}
        showLegend
        options={offered.map((each) => ({
          value: each,
          label: prompt.durations[each],
          shortcut: captionOf('duration', each),
        }))}
        value={duration}
        onChange={answering.setDuration}
      />
      {duration !== 'once' && (
        <div className="proposals">
          <Segments
            legend={prompt.covers}
            showLegend
            options={choices.proposals.map(({ id, scope }) => ({
              value: id,
              label: (ask.kind === 'exec' ? prompt.scopes : prompt.toolScopes)[scope],
            }))}
            value={proposalId}
            onChange={answering.setProposal}
          />
          {proposal !== undefined && (
            <div className="proposal" role="status">
              <p>{displayPlain(proposal.sentence)}</p>
              <PastCommands
                commands={proposal.pastCommands.filter((past) => past !== ask.command)}
              />
            </div>
          )}
        </div>
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
