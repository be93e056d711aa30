import { askModes, securityModes } from '../../../shared/engine/index.ts';
import type { PolicyDocument } from '../../../shared/engine/index.ts';
import { useText } from '../state/preferences.ts';
import { editPart } from './draft.ts';

const builtIn = { security: 'deny', ask: 'on-miss', askFallback: 'deny' } as const;

/** The mode that holds where an agent does not set it: the wildcard's, the defaults', the built-in. */
function inheritedMode(
  document: PolicyDocument,
  agent: string,
  field: keyof typeof builtIn,
): string {
  const everyone = agent === '*' ? undefined : document.agents?.['*']?.[field];
  return everyone ?? document.defaults?.[field] ?? builtIn[field];
}

type Words = Readonly<Record<string, { readonly name: string; readonly means: string }>>;

interface ModeProps {
  readonly document: PolicyDocument;
  readonly agent: string;
  readonly field: 'security' | 'ask' | 'askFallback';
  readonly label: string;
  readonly values: readonly string[];
  readonly words: Words;
}

function Mode({ document, agent, field, label, values, words }: ModeProps) {
  const { rules } = useText();
  const own = document.agents?.[agent]?.[field];
  const inherited = inheritedMode(document, agent, field);
  const word = words[own ?? inherited];
  return (
    <div className="mode">
      <label className="field">
        <span className="field-label">{label}</span>
        <select
          className="input"
          value={own ?? ''}
          data-loose={(own ?? inherited) === 'full'}
          onChange={({ target }) =>
            editPart({ kind: 'mode', agent, field }, target.value === '' ? null : target.value)
          }
        >
          <option value="">
            {(agent === '*' ? rules.byDefault : rules.inherit)(words[inherited]?.name ?? inherited)}
          </option>
          {values.map((value) => (
            <option key={value} value={value}>
              {words[value]?.name}
            </option>
          ))}
        </select>
      </label>
      <p className="field-help">{word?.means}</p>
    </div>
  );
}

/** The three modes of an agent, in plain words with what they mean. */
export function Modes({ document, agent }: { document: PolicyDocument; agent: string }) {
  const { rules } = useText();
  return (
    <section className="modes" aria-label={rules.modes}>
      <Mode
        {...{ document, agent }}
        field="security"
        label={rules.security}
        values={securityModes}
        words={rules.securityModes}
      />
      <Mode
        {...{ document, agent }}
        field="ask"
        label={rules.ask}
        values={askModes}
        words={rules.askModes}
      />
      <Mode
        {...{ document, agent }}
        field="askFallback"
        label={rules.fallback}
        values={securityModes}
        words={rules.fallbackModes}
      />
    </section>
  );
}
