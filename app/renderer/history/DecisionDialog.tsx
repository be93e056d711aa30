import { useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { agentWords } from '../../../shared/engine/index.ts';
import { startRuleFrom } from '../allowlist/draft.ts';
import type { GivenAnswer } from '../../../shared/engine/index.ts';
import type { HistoryEntry } from '../../bridge/types.ts';
import { Button } from '../primitives/Button.tsx';
import { Dialog } from '../primitives/Dialog.tsx';
import { useText } from '../state/preferences.ts';
import { fullTime } from '../text/format.ts';

interface DecisionDialogProps {
  readonly entry: HistoryEntry;
  readonly onClose: () => void;
}

/** One decision of the history, with its whole command. */
export function DecisionDialog({ entry, onClose }: DecisionDialogProps) {
  const { history: words, prompt, codes, code } = useText();
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    // Where the browser does not let a page copy, the text can still be selected.
    setCopied(
      await navigator.clipboard.writeText(entry.command).then(
        () => true,
        () => false,
      ),
    );
  };
  const answerOf = ({ via, person, passkey = '', by = '' }: GivenAnswer): string =>
    person === undefined
      ? `${words.places[via]} ${displayPlain(by)}`.trimEnd()
      : words.signed(person === null ? null : displayPlain(person), displayPlain(passkey));
  const outcome = codes.outcomes[entry.code] ?? entry.code;
  const facts: readonly (readonly [string, string])[] = [
    [
      words.decision,
      `${entry.decision === 'allow' ? words.allowed : words.denied} ${words.by[entry.by]}, ${outcome}`,
    ],
    ...(entry.passkey === undefined || entry.answers !== undefined
      ? []
      : [[words.passkey, displayPlain(entry.passkey)] as const]),
    ...(entry.answers ?? []).map((one) => [words.answers[one.said], answerOf(one)] as const),
    [words.agent, displayPlain(agentWords(entry.agent, prompt.unproven))],
    ...(entry.session === null ? [] : [[words.session, displayPlain(entry.session)] as const]),
    ...(entry.advice === undefined
      ? []
      : [
          [
            words.advisor,
            `${prompt.advice[entry.advice.answer](entry.advice.by)} ${displayPlain(entry.advice.reason)}`,
          ] as const,
        ]),
    [words.directory, displayPlain(entry.cwd)],
    [words.at, fullTime(entry.at, code)],
  ];
  return (
    <Dialog title={words.one} onClose={onClose}>
      {/* A keyboard has to be able to scroll what it cannot otherwise reach. */}
      <pre className="mono decision-command" role="region" aria-label={words.one} tabIndex={0}>
        {displayPlain(entry.command)}
      </pre>
      <dl className="decision-facts small">
        {facts.map(([name, value]) => (
          <div key={name} className="decision-fact">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div className="dialog-actions">
        <Button icon="copy" onClick={() => void copy()}>
          <span role="status">{copied ? words.copied : words.copy}</span>
        </Button>
        <Button
          icon="add"
          onClick={() => {
            onClose();
            startRuleFrom(entry);
          }}
        >
          {words.makeRule}
        </Button>
      </div>
    </Dialog>
  );
}
