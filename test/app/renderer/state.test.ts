import { describe, expect, test, vi } from 'vitest';
import type { AppState, Bridge } from '../../../app/bridge/types.ts';
import { missingPages, noPages, withPage } from '../../../app/renderer/history/useHistory.ts';
import { askOf, queuedOf } from '../../../e2e/gallery-page/sample-asks.ts';
import { historyPageOf } from '../../../e2e/gallery-page/records.ts';
import { readPreferences } from '../../../app/renderer/state/preferences.ts';
import {
  callOrShow,
  isOtherSituation,
  neighbour,
  shownAsk,
  startApp,
  useApp,
} from '../../../app/renderer/state/app.ts';
import { routeOf } from '../../../app/renderer/state/app.ts';
import { catalogueFor } from '../../../app/renderer/text/languages.ts';
import { relativeTime } from '../../../app/renderer/text/format.ts';

const queue = ['a', 'b', 'c'].map((id) => queuedOf(askOf({ id, command: 'ls' })));

describe('the ask on screen', () => {
  test('stays while it waits, and the oldest comes after it', () => {
    expect(shownAsk(queue, 'b')?.ask.id).toBe('b');
    expect(shownAsk(queue, 'gone')?.ask.id).toBe('a');
    expect(shownAsk([], 'b')).toBeUndefined();
  });

  test('moves one place and stops at both ends', () => {
    expect(neighbour(queue, 'a', 1)).toBe('b');
    expect(neighbour(queue, 'c', 1)).toBe('c');
    expect(neighbour(queue, 'a', -1)).toBe('a');
    expect(neighbour([], null, 1)).toBeNull();
  });
});

describe('the situation', () => {
  const state: AppState = {
    revision: 1,
    now: 0,
    runner: { mode: 'armed', reason: null, running: 0, pending: 0, policyProblem: null },
    queue: [],
    missed: [],
    policy: { hash: 'a', problem: null },
  };

  test.each<[string, Partial<AppState>]>([
    ['the runner is gone', { runner: null }],
    ['the gate is locked', { stop: { mode: 'locked', reason: null } }],
    ['the policy is another one', { policy: { hash: 'b', problem: null } }],
  ])('is another one when %s', (_what, change) => {
    expect(isOtherSituation(state, { ...state, ...change })).toBe(true);
    expect(isOtherSituation({ ...state, ...change }, state)).toBe(true);
  });

  test('stays the same while asks come and go', () => {
    const runner = { ...state.runner, running: 3, pending: 1 } as AppState['runner'];
    expect(isOtherSituation(state, { ...state, revision: 9, now: 5, runner })).toBe(false);
  });
});

test('an error of a call leaves with its cause', async () => {
  let push: (state: AppState) => void = () => undefined;
  const gone = { revision: 1, now: 0, runner: null, queue: [], missed: [] } as const;
  const state: AppState = { ...gone, policy: { hash: 'a', problem: null } };
  vi.stubGlobal('window', { addEventListener: () => undefined });
  vi.stubGlobal('location', { hash: '' });
  const bridge: Bridge = {
    subscribe: (listener) => {
      push = listener;
      listener(state);
      return () => undefined;
    },
    onConnection: () => () => undefined,
    call: () => Promise.reject(new Error('nobody')),
  };
  startApp({
    bridge,
    again: () => undefined,
    enter: () => undefined,
    onLink: (listener) => {
      listener('open');
      return () => undefined;
    },
  });
  expect(await callOrShow('pause', { reason: 'x' })).toBeNull();
  expect(useApp.getState().failure?.code).toBe('host-unavailable');
  push({ ...state, revision: 2 });
  expect(useApp.getState().failure?.code).toBe('host-unavailable');
  const runner = {
    mode: 'armed',
    reason: null,
    running: 0,
    pending: 0,
    policyProblem: null,
  } as const;
  push({ ...state, revision: 3, runner });
  expect(useApp.getState().failure).toBeNull();
  vi.unstubAllGlobals();
});

describe('the pages of the history', () => {
  test('are fetched once each, and only those in view', () => {
    const first = historyPageOf({ offset: 0, limit: 100 }, 1000);
    const pages = withPage(noPages, 0, first);
    expect(missingPages(pages, 0, 20)).toEqual([]);
    expect(missingPages(pages, 90, 110)).toEqual([100]);
    expect(missingPages(pages, 980, 5000)).toEqual([900]);
  });
});

test('preferences that are damaged or unknown become the defaults', () => {
  const defaults = { theme: 'system', language: 'system' };
  for (const text of [null, '', '{', '7', '{"theme":"neon","language":"tlh"}']) {
    expect(readPreferences(text)).toEqual(defaults);
  }
  expect(readPreferences('{"theme":"dark","language":"de"}')).toEqual({
    theme: 'dark',
    language: 'de',
  });
});

test('the language is the chosen one, else the first that the browser asks for', () => {
  expect(catalogueFor('de', ['en']).code).toBe('de');
  expect(catalogueFor('system', ['fr-CH', 'de-CH', 'en']).code).toBe('de');
  expect(catalogueFor('system', ['fr']).code).toBe('en');
});

test('only a known view and an ask can be addressed', () => {
  expect(routeOf('#/history')).toEqual({ view: 'history', ask: null, alone: false });
  expect(routeOf('#/asks/a%2Fb')).toEqual({ view: 'asks', ask: 'a/b', alone: false });
  expect(routeOf('#/prompt/a%2Fb')).toEqual({ view: 'asks', ask: 'a/b', alone: true });
  expect(routeOf('#/asks/%E0%A4%A')).toEqual({ view: 'asks', ask: null, alone: false });
  expect(routeOf('#token=abc')).toEqual({ view: 'asks', ask: null, alone: false });
});

test('times are told in words of the language', () => {
  expect(relativeTime(0, 3 * 86_400_000, 'en')).toBe('3 days ago');
  expect(relativeTime(7_300_000, 0, 'de')).toBe('in 2 Stunden');
});
