import { displayPlain } from '../../../shared/base/index.ts';
import { agentWords } from '../../../shared/engine/index.ts';
import type { Ask } from '../../../shared/engine/index.ts';
import { Icon } from '../primitives/Icon.tsx';
import { useHostNow } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { relativeTime } from '../text/format.ts';
import { stagesInView } from './Stages.tsx';

/**
 * What the gate says, which is always English. Where the language of the page has a sentence for
 * its code, that comes first and the original stands beneath it.
 */
function Worded(props: { readonly own: string | undefined; readonly original: string }) {
  const { shell } = useText();
  if (props.own === undefined) return <span>{props.original}</span>;
  return (
    <span className="worded">
      <span>{props.own}</span>
      <span className="worded-original" lang="en" title={shell.original}>
        {props.original}
      </span>
    </span>
  );
}

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
      {why !== '' && (
        <p className="reasons-why quiet">
          <span className="visually-hidden">{prompt.why}: </span>
          <Worded
            own={ask.whyCode === undefined ? undefined : codes.verdicts[ask.whyCode]}
            original={displayPlain(why)}
          />
        </p>
      )}
    </div>
  );
}

/**
 * The reason, said once: one stage says it more exactly than the whole does, and with several of
 * them it stands beside the one that it is about. Empty where it is said there.
 */
function whyOf({ why, stages, opaque }: Ask): string {
  const [only] = stages;
  if (stages.length === 1 && only !== undefined && only.why !== '')
    // The whole adds why it needs this machine, and what became of it in the sandbox.
    return opaque !== null || why.startsWith(only.why) ? why : only.why;
  return stages.slice(0, stagesInView).some((stage) => stage.why === why) ? '' : why;
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
