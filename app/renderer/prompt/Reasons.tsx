import { displayPlain } from '../../../shared/base/index.ts';
import { agentWords } from '../../../shared/engine/index.ts';
import type { Ask, AskStage } from '../../../shared/engine/index.ts';
import { Icon } from '../primitives/Icon.tsx';
import { useHostNow } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { relativeTime } from '../text/format.ts';
import { Does, stagesInView, StageWhy, Worded } from './Stages.tsx';

/** Who has to allow it, where one person is not enough, and who has done so. */
export function Approvers({ ask: { approvers = 1, answered = [] } }: { readonly ask: Ask }) {
  const { passkeys: words, code } = useText();
  const now = useHostNow();
  if (approvers === 1) return null;
  return (
    <div className="note note-caution" role="note">
      <Icon name="caution" />
      <div>
        {words.two}
        {answered.map(({ person, passkey, at }) => (
          <p key={passkey}>
            {words.saidYes(
              person === null ? null : displayPlain(person),
              displayPlain(passkey),
              relativeTime(at, now, code),
            )}
          </p>
        ))}
      </div>
    </div>
  );
}

/** What to know before allowing, the worst first, and why a person is asked at all. */
export function Reasons({ ask }: { readonly ask: Ask }) {
  const { prompt, codes } = useText();
  const why = whyOf(ask);
  const [only] = ask.stages;
  const findings = ask.risk.findings.toSorted((a, b) =>
    a.level === b.level ? 0 : a.level === 'high' ? -1 : 1,
  );
  return (
    <div className="reasons">
      {findings.length > 0 && (
        <ul
          className="reasons-list"
          aria-label={ask.risk.level === 'high' ? prompt.riskHigh : prompt.riskLow}
        >
          {findings.map(({ code, level, text }) => (
            <li
              key={`${code} ${text}`}
              className={`note note-${level === 'high' ? 'danger' : 'caution'}`}
            >
              <Icon name={level === 'high' ? 'danger' : 'caution'} />
              <Worded own={codes.risks[code]} original={displayPlain(text)} />
            </li>
          ))}
        </ul>
      )}
      {ask.opaque !== null && (
        <div className="note note-caution">
          <Icon name="caution" />
          <div>
            <strong>{prompt.opaqueTitle}.</strong>{' '}
            {prompt.opaqueText(prompt.opaque[ask.opaque.reason])}
          </div>
        </div>
      )}
      {only !== undefined && ask.stages.length === 1 && <Does stage={only} />}
      {why !== null && (
        <p className="reasons-why quiet">
          <span className="visually-hidden">{prompt.why}: </span>
          {'argv' in why && why.whyCode !== undefined ? (
            <StageWhy stage={why} />
          ) : (
            <Worded
              own={ask.whyCode === undefined ? undefined : codes.verdicts[ask.whyCode]}
              original={displayPlain(why.why)}
            />
          )}
        </p>
      )}
    </div>
  );
}

/**
 * The reason, said once: one stage says it more exactly than the whole does, and with several of
 * them it stands beside the one that it is about. Null where it is said there.
 */
function whyOf(ask: Ask): Ask | AskStage | null {
  const { why, stages, opaque } = ask;
  const [only] = stages;
  if (stages.length === 1 && only !== undefined && only.why !== '') {
    // The whole adds why it needs this machine, and what became of it in the sandbox.
    const addsToIt = why !== only.why && why.startsWith(only.why);
    return opaque !== null || addsToIt ? ask : only;
  }
  const isSaidThere = stages.slice(0, stagesInView).some((stage) => stage.why === why);
  return why === '' || isSaidThere ? null : ask;
}

/** What an advisor of the person's choice said: quoted, named, and marked as a claim. */
export function AdvisorSays({ ask: { advice } }: { readonly ask: Ask }) {
  const { prompt } = useText();
  if (advice === undefined) return null;
  return (
    <figure className={`stated ${advice.answer === 'refuse' ? 'stated-no' : ''}`}>
      <figcaption className="small">{prompt.advice[advice.answer](advice.by)}</figcaption>
      <blockquote tabIndex={0}>{displayPlain(advice.reason)}</blockquote>
    </figure>
  );
}

/** The agent's own words: quoted, and marked as a claim. */
export function StatedReason({ ask }: { readonly ask: Ask }) {
  const { prompt } = useText();
  if (ask.statedReason === null || ask.statedReason.trim() === '') return null;
  return (
    <figure className="stated">
      <blockquote tabIndex={0}>{displayPlain(ask.statedReason)}</blockquote>
      <figcaption className="faint small">
        {prompt.reason(displayPlain(agentWords(ask.agent, prompt.unproven)))}
      </figcaption>
    </figure>
  );
}
