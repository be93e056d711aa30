import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import type {
  PolicyDocument,
  ReviewFinding,
  Rule,
  ReviewCode,
} from '../../../shared/engine/index.ts';
import { Button } from '../primitives/Button.tsx';
import { Empty } from '../primitives/Empty.tsx';
import { Segments } from '../primitives/Segments.tsx';
import { readHostNow } from '../state/app.ts';
import { usePolicy } from '../state/policy.ts';
import { useText } from '../state/preferences.ts';
import { StarterGroups, groupsOf, keyOfGroup } from '../starters/StarterGroups.tsx';
import { RuleRow } from './RuleRow.tsx';
import { Exchange } from './exchange/Exchange.tsx';
import { useDraft } from './draft.ts';
import { reviewRules } from '../../../shared/engine/index.ts';

const rowHeight = 48;
const noRules: readonly Rule[] = [];
const noAdvice: readonly ReviewFinding[] = [];
const columns = ['effect', 'program', 'args', 'scope', 'expires', 'used', 'actions'] as const;

interface RulesProps {
  readonly document: PolicyDocument;
  readonly agent: string;
}

/** The rules that are shown: those of hidden groups are not, nor those that the filters leave out. */
function useRows({ document, agent }: RulesProps) {
  const [search, setSearch] = useState('');
  const [only, setOnly] = useState<AdviceFilter>('all');
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  // What a starter is bound to is a folder of this machine: of another one all rules are shown.
  const isHere = usePolicy(({ machine }) => machine === null);
  const own = document.agents?.[agent]?.allowlist ?? noRules;
  const all = useMemo(() => {
    const hidden = (isHere ? groupsOf(document, agent) : [])
      .filter((group) => !shown.has(keyOfGroup(group)))
      .flatMap(({ rules }) => rules.map(({ id }) => id));
    if (hidden.length === 0) return own;
    const ids = new Set(hidden);
    return own.filter(({ id }) => !ids.has(id));
  }, [document, agent, own, shown, isHere]);
  const toggle = (key: string): void =>
    setShown((old) => {
      const next = new Set(old);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  const rows = useMemo(() => {
    const advice = adviceFor(document, agent, readHostNow());
    return all
      .map((rule) => ({ rule, advice: advice.get(rule.id) ?? noAdvice }))
      .filter((row) => fitsAdvice(row.advice, only) && fitsSearch(row.rule, search));
  }, [document, agent, all, only, search]);
  return { search, setSearch, only, setOnly, shown, toggle, all, rows };
}

/** The rules of one agent as a table; only the rows in view are in the page. */
export function Rules({ document, agent }: RulesProps) {
  const { rules: words } = useText();
  const it = useRows({ document, agent });
  const { all, rows } = it;
  const isHere = usePolicy(({ machine }) => machine === null);
  return (
    <section className="rules" aria-labelledby="rules-title">
      {isHere && (
        <StarterGroups document={document} agent={agent} shown={it.shown} onShow={it.toggle} />
      )}
      <header className="rules-head">
        <h3 id="rules-title">{words.table}</h3>
        <span className="faint small" role="status">
          {rows.length === all.length
            ? words.count(all.length)
            : words.shown(rows.length, all.length)}
        </span>
        <input
          className="input rules-search"
          type="search"
          aria-label={words.search}
          placeholder={words.search}
          value={it.search}
          onChange={({ target }) => it.setSearch(target.value)}
        />
        <Segments
          legend={words.only}
          options={[
            { value: 'all' as const, label: words.all },
            { value: 'wide' as const, label: words.wide },
            { value: 'unused' as const, label: words.unused },
          ]}
          value={it.only}
          onChange={it.setOnly}
        />
        <Button
          icon="add"
          look="accent"
          onClick={() => useDraft.setState({ editing: { id: null, rule: null } })}
        >
          {words.add}
        </Button>
        {isHere && <Exchange document={document} agent={agent} />}
      </header>
      {rows.length === 0 ? (
        <Empty
          icon="allowlist"
          title={all.length === 0 ? words.empty : words.nothingFound}
          {...(all.length === 0 ? { text: words.emptyText } : {})}
        />
      ) : (
        <Table agent={agent} rows={rows} />
      )}
    </section>
  );
}

interface TableProps {
  readonly agent: string;
  readonly rows: ReturnType<typeof useRows>['rows'];
}

function Table({ agent, rows }: TableProps) {
  const { rules: words } = useText();
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.rule.id ?? index,
    overscan: 10,
  });
  return (
    // A table that scrolls by itself has to be reachable by keyboard.
    <div ref={box} className="rules-box" tabIndex={0} role="group" aria-labelledby="rules-title">
      <div role="table" aria-labelledby="rules-title" aria-rowcount={rows.length + 1}>
        <div role="rowgroup" className="rules-columns">
          <div role="row" className="rule-row" aria-rowindex={1}>
            {columns.map((column) => (
              <span key={column} role="columnheader" className={`rule-${column}`}>
                {column === 'actions' ? (
                  <span className="visually-hidden">{words.columns[column]}</span>
                ) : (
                  words.columns[column]
                )}
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="rules-body" style={{ blockSize: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => {
            const row = rows[index];
            return row === undefined ? null : (
              <RuleRow
                key={key}
                {...row}
                agent={agent}
                index={index}
                top={start}
                measure={virtual.measureElement}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Which findings of a review the table is filtered by. */
type AdviceFilter = 'all' | 'wide' | 'unused';

const filters: Readonly<Record<ReviewCode, Exclude<AdviceFilter, 'all'>>> = {
  'too-wide': 'wide',
  'any-program': 'wide',
  everything: 'wide',
  'never-used': 'unused',
  'long-unused': 'unused',
  expired: 'unused',
};

/** What a person should look at again among the rules of one agent, by the id of the rule. */
export function adviceFor(
  document: PolicyDocument,
  agent: string,
  now: number,
): ReadonlyMap<string, readonly ReviewFinding[]> {
  const policy = document.agents?.[agent];
  const own = policy === undefined ? {} : { [agent]: policy };
  const found = new Map<string, readonly ReviewFinding[]>();
  for (const finding of reviewRules({ version: 1, agents: own }, now)) {
    found.set(finding.ruleId, [...(found.get(finding.ruleId) ?? []), finding]);
  }
  return found;
}

/** Whether a rule with these findings is shown. */
export function fitsAdvice(findings: readonly ReviewFinding[], wanted: AdviceFilter): boolean {
  return wanted === 'all' || findings.some(({ code }) => filters[code] === wanted);
}

/** Whether a rule fits a search over everything that is shown of it. */
export function fitsSearch(rule: Rule, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  if (wanted === '') return true;
  const text = [
    rule.pattern,
    ...(rule.args ?? []).flat(),
    rule.argPattern ?? '',
    rule.cwd ?? '',
    rule.note ?? '',
    rule.lastUsedCommand ?? '',
  ].join(' ');
  return text.toLowerCase().includes(wanted);
}
