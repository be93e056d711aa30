import { plural } from '../plural.ts';

export const history = {
  title: 'History',
  search: 'Search commands',
  agent: 'Agent',
  decision: 'Decision',
  everyAgent: 'Every agent',
  any: 'Any',
  allowed: 'Allowed',
  denied: 'Denied',
  by: { policy: 'by policy', person: 'by you', fallback: 'by fallback' },
  exit: (code: number) => `exit ${code}`,
  total: (n: number) => plural(n, '1 decision', `${n} decisions`),
  makeRule: 'Make a rule from this',
  empty: 'Nothing has been decided yet',
  emptyText: 'Each decision appears here with who made it and what came of it.',
  unreadable: 'The history cannot be read now',
  unreadableText: 'The runner keeps it and is not connected. Nothing of it is lost.',
  nothingFound: 'No decision fits the search',
  loading: 'Loading',
  chart: 'Asks per day',
  chartText: (asks: number, needless: number, days: number) =>
    `${asks} asks in ${days} days, ${needless} of them needless`,
  chartNone: 'Nobody was asked in these 30 days.',
  asks: 'Asks',
  needless: 'Needless',
  needlessMeans: (times: number) =>
    `An ask is needless when you allowed once what you had allowed ${times} times before in the same folder.`,
  dayText: (day: string, asks: number, needless: number) =>
    needless > 0 ? `${day}: ${asks} asks, ${needless} needless` : `${day}: ${asks} asks`,
  table: 'As a table',
  day: 'Day',
  allowedAsks: 'Allowed',
  unanswered: 'Not answered',
  unasked: 'Not asked about',
  worth: 'Asked again and again',
  worthTimes: (n: number) => plural(n, 'once needless', `${n} times needless`),
};
