import { useId, useMemo } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { askModes, isBeyond, presenceModes, securityModes } from '../../../shared/engine/index.ts';
import type { ModeBounds, PolicyDocument, Presence } from '../../../shared/engine/index.ts';
import { Icon } from '../primitives/Icon.tsx';
import { useAsking } from '../state/asking.ts';
import { usePolicy } from '../state/policy.ts';
import { useText } from '../state/preferences.ts';
import { editPart, editParts } from './draft.ts';

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
  readonly bound: ModeBounds['security' | 'ask'];
}

function Mode({ document, agent, field, label, values, words, bound }: ModeProps) {
  const { rules } = useText();
  const own = document.agents?.[agent]?.[field];
  const inherited = inheritedMode(document, agent, field);
  const word = words[own ?? inherited];
  const note = useId();
  const isHeld = (value: string): boolean => isBeyond<string>(values, value, bound);
  return (
    <div className="mode">
      <label className="field">
        <span className="field-label">{label}</span>
        <select
          className="input"
          value={own ?? ''}
          disabled={values.slice(1).every(isHeld)}
          aria-describedby={bound === null ? undefined : note}
          data-loose={(own ?? inherited) === 'full'}
          onChange={({ target }) =>
            editPart({ kind: 'mode', agent, field }, target.value === '' ? null : target.value)
          }
        >
          <option value="">
            {(agent === '*' ? rules.byDefault : rules.inherit)(words[inherited]?.name ?? inherited)}
          </option>
          {values.map((value) => (
            <option key={value} value={value} disabled={isHeld(value)}>
              {words[value]?.name}
            </option>
          ))}
        </select>
      </label>
      <p className="field-help">{word?.means}</p>
      {bound !== null && (
        <p id={note} className="mode-bound small">
          <Icon name="lockout" size={14} />
          <span>
            {(bound.layer === 'fleet' ? rules.boundByFleet : rules.boundByMachine)(
              words[bound.value]?.name ?? bound.value,
              displayPlain(bound.setting),
            )}
            {isHeld(own ?? inherited) && ` ${rules.boundOverrules}`}
          </span>
        </p>
      )}
    </div>
  );
}

const risks = ['none', 'low', 'high'] as const;
type Risk = (typeof risks)[number];
type Level = Pick<NonNullable<PolicyDocument['defaults']>, 'presence' | 'approvers'> | undefined;
type Wanted = Presence | 'click' | 'two';

/** What a level says of a risk; null where it leaves that to the next. */
function saidOf(level: Level, risk: Risk): Wanted | null {
  const approvers = level?.approvers?.[risk];
  return (approvers ?? 1) > 1 ? 'two' : (level?.presence?.[risk] ?? null);
}

/** What holds where an agent does not say: presence and people are found each by itself. */
function inheritedWanted(document: PolicyDocument, agent: string | null, risk: Risk): Wanted {
  const everyone = agent === '*' || agent === null ? undefined : document.agents?.['*'];
  const defaults = agent === null ? undefined : document.defaults;
  const approvers = everyone?.approvers?.[risk] ?? defaults?.approvers?.[risk] ?? 1;
  const presence = everyone?.presence?.[risk] ?? defaults?.presence?.[risk];
  return approvers > 1 ? 'two' : (presence ?? (risk === 'high' ? 'either' : 'click'));
}

/** A field by risk with one risk set; null where nothing is left in it. */
function withRisk<T>(
  said: Partial<Record<Risk, T>> | undefined,
  risk: Risk,
  value: T | undefined,
): Partial<Record<Risk, T>> | null {
  const { [risk]: _old, ...rest } = said ?? {};
  const next = { ...rest, ...(value !== undefined && { [risk]: value }) } as Partial<
    Record<Risk, T>
  >;
  return Object.keys(next).length === 0 ? null : next;
}

interface RiskModeProps {
  readonly document: PolicyDocument;
  /** Null for the defaults. */
  readonly agent: string | null;
  readonly risk: Risk;
}

/** What it takes to allow what has this risk. */
function RiskMode({ document, agent, risk }: RiskModeProps) {
  const { rules } = useText();
  const level = agent === null ? document.defaults : document.agents?.[agent];
  const inherited = inheritedWanted(document, agent, risk);
  const isOverruled = inherited === 'two' && level?.approvers?.[risk] === undefined;
  const own = isOverruled ? null : saidOf(level, risk);
  const set = (wanted: Exclude<Wanted, 'click'> | undefined): void => {
    const isTwo = wanted === 'two';
    // One person is said only where the next level would want two.
    const one = wanted !== undefined && inherited === 'two' ? 1 : undefined;
    editParts([
      [
        { kind: 'mode', agent, field: 'presence' },
        withRisk(level?.presence, risk, isTwo ? undefined : wanted),
      ],
      [
        { kind: 'mode', agent, field: 'approvers' },
        withRisk(level?.approvers, risk, isTwo ? 2 : one),
      ],
    ]);
  };
  return (
    <div className="mode">
      <label className="field">
        <span className="field-label">
          {agent === null
            ? rules.defaultFor(rules.risks[risk])
            : `${rules.presence}: ${rules.risks[risk]}`}
        </span>
        <select
          className="input"
          value={own ?? ''}
          onChange={({ target }) =>
            set(([...presenceModes, 'two'] as const).find((one) => one === target.value))
          }
        >
          <option value="">
            {(agent === '*' || agent === null ? rules.byDefault : rules.inherit)(
              rules.presences[inherited].name,
            )}
          </option>
          {([...presenceModes.toReversed(), 'two'] as const).map((value) => (
            <option key={value} value={value}>
              {rules.presences[value].name}
            </option>
          ))}
        </select>
      </label>
      <p className="field-help">{rules.presences[own ?? inherited].means}</p>
    </div>
  );
}

/** The three modes of an agent, and what it takes to allow by risk, in plain words with what they mean. */
export function Modes({ document, agent }: { document: PolicyDocument; agent: string }) {
  const { rules } = useText();
  const machine = usePolicy((model) => model.machine);
  // What bounds a node is known there, and held there.
  const whose = useMemo(() => (machine === null ? { agent } : null), [agent, machine]);
  const { answer } = useAsking('modeBounds', whose);
  const { security, ask } = answer?.ok === true ? answer.result : { security: null, ask: null };
  return (
    <section className="modes" aria-label={rules.modes}>
      <Mode
        {...{ document, agent }}
        field="security"
        label={rules.security}
        values={securityModes}
        words={rules.securityModes}
        bound={security}
      />
      <Mode
        {...{ document, agent }}
        field="ask"
        label={rules.ask}
        values={askModes}
        words={rules.askModes}
        bound={ask}
      />
      <Mode
        {...{ document, agent }}
        field="askFallback"
        label={rules.fallback}
        values={securityModes}
        words={rules.fallbackModes}
        bound={security}
      />
      {risks.map((risk) => (
        <RiskMode key={risk} {...{ document, agent, risk }} />
      ))}
      {agent === '*' && (
        <details className="modes-defaults">
          <summary>{rules.defaults}</summary>
          <div className="modes">
            {risks.map((risk) => (
              <RiskMode key={risk} agent={null} {...{ document, risk }} />
            ))}
          </div>
        </details>
      )}
    </section>
  );
}
