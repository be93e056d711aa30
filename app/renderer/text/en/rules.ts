import type { AskMode, RuleEffect, Security } from '../../../../shared/policy/types.ts';
import { plural } from '../plural.ts';

const security: Record<Security, { name: string; means: string }> = {
  deny: { name: 'Nothing runs', means: 'Every command of this agent is refused.' },
  allowlist: {
    name: 'Only what rules allow',
    means: 'A command runs when a rule allows each of its stages.',
  },
  full: {
    name: 'Everything runs',
    means: 'Every command runs unless a rule denies it or asks. Use it only inside a sandbox.',
  },
};

const ask: Record<AskMode, { name: string; means: string }> = {
  always: { name: 'Every time', means: 'You are asked even when a rule would allow the command.' },
  'on-miss': { name: 'When no rule decides', means: 'You are asked about what is new.' },
  off: { name: 'Never', means: 'Nobody is asked: what no rule allows is refused.' },
};

const fallback: Record<Security, { name: string; means: string }> = {
  deny: { name: 'Refuse it', means: 'With nobody to ask, the command is refused.' },
  allowlist: {
    name: 'Let rules decide',
    means: 'With nobody to ask, only what rules allow runs.',
  },
  full: { name: 'Run it', means: 'With nobody to ask, the command runs. This is rarely wise.' },
};

const effects: Record<RuleEffect, string> = { allow: 'Allow', ask: 'Ask', deny: 'Deny' };

export const rules = {
  agent: 'Agent',
  everyone: 'Everyone (*)',
  addAgent: 'Add agent',
  agentName: 'Name of the agent',
  modes: 'Modes',
  security: 'What may run',
  ask: 'When you are asked',
  fallback: 'When nobody can be asked',
  inherit: (name: string) => `As for everyone: ${name}`,
  byDefault: (name: string) => `By default: ${name}`,
  securityModes: security,
  askModes: ask,
  fallbackModes: fallback,
  effects,
  table: 'Rules',
  count: (n: number) => plural(n, '1 rule', `${n} rules`),
  shown: (n: number, of: number) => `${n} of ${of} rules`,
  search: 'Search rules',
  only: 'Show',
  all: 'All',
  wide: 'Too wide',
  unused: 'Unused',
  columns: {
    effect: 'Effect',
    program: 'Program',
    args: 'Arguments',
    scope: 'Where',
    expires: 'Until',
    used: 'Last used',
    actions: 'Actions',
  },
  anyArgs: 'any arguments',
  kinds: { edit: 'changed files', fetch: 'addresses', mcp: 'MCP tools', egress: 'network' },
  withTool: (tool: string) => `with ${tool}`,
  noArgs: 'no arguments',
  anywhere: 'anywhere',
  forever: 'always',
  expired: 'expired',
  never: 'never',
  uses: (n: number) => plural(n, 'used once', `used ${n} times`),
  add: 'Add rule',
  edit: 'Edit',
  duplicate: 'Duplicate',
  remove: 'Delete',
  undo: 'Undo',
  save: 'Save',
  saving: 'Saving',
  saved: 'Saved.',
  discard: 'Discard',
  heldBack: 'The policy file is not valid. Your changes are kept here until it is.',
  unsaved: (n: number) => plural(n, '1 change not saved', `${n} changes not saved`),
  empty: 'No rule yet',
  emptyText: 'Rules appear here when you allow something for good, or when you add one.',
  nothingFound: 'No rule fits the search',
  noPolicy: 'The policy cannot be read',
};

export const ruleForm = {
  addTitle: 'Add a rule',
  editTitle: 'Edit the rule',
  effect: 'Effect',
  kind: 'About',
  kinds: { exec: 'Commands', edit: 'Changed files', fetch: 'Addresses', mcp: 'MCP tools' },
  targets: { exec: 'Program', edit: 'Files', fetch: 'Addresses', mcp: 'Server and tool' },
  targetHelp: {
    exec: 'A path, or a bare name for a program found in a system directory.',
    edit: 'A path. ~/src/** covers all files below.',
    fetch: 'As in https://docs.example/**.',
    mcp: 'As in github/get_*, or github/** for all its tools.',
  },
  tool: 'Only with this tool',
  toolHelp: 'The agent’s name for it, as in Edit. Empty means any.',
  args: 'Arguments',
  argsAny: 'Any',
  argsWords: 'These words',
  argsPattern: 'Regular expression',
  argsHelp: 'Words as in a shell. (a|b) means either, * anything in a word, ... anything after.',
  patternHelp: 'Over the arguments joined by one space.',
  directory: 'Only in this directory',
  directoryHelp: 'Empty means anywhere. ~/src/** covers all below.',
  expires: 'Until',
  expiresHelp: 'Empty means always.',
  note: 'Note',
  matches: 'Must match, one command a line',
  noMatches: 'Must not match, one command a line',
  apply: 'Apply',
  effectNone: (n: number) => `It would have changed nothing about the last ${n} commands.`,
  effectOf: {
    allowed: (n: number, of: number) =>
      plural(
        n,
        `Would have allowed 1 of the last ${of} commands`,
        `Would have allowed ${n} of the last ${of} commands`,
      ),
    denied: (n: number, of: number) =>
      plural(
        n,
        `Would have denied 1 of the last ${of} commands`,
        `Would have denied ${n} of the last ${of} commands`,
      ),
    asked: (n: number, of: number) =>
      plural(
        n,
        `Would have asked about 1 of the last ${of} commands`,
        `Would have asked about ${n} of the last ${of} commands`,
      ),
  },
  suggestTitle: 'Make a rule from a command',
  suggestFor: (agent: string) => `For ${agent}. Nothing is saved yet.`,
  suggestNone: 'No rule should be made of this',
  suggestAdd: 'Add to the allowlist',
  suggestEdit: 'Change it first',
  suggestOwn: 'Write a rule yourself',
  cancel: 'Cancel',
  problems: {
    program: 'Name a program.',
    relative: 'Use a full path, a bare name, or ~/ at the start.',
    everything: 'This matches every program. Name the ones you mean.',
    quote: 'A quotation mark is not closed.',
    rest: '... may only stand at the end.',
    alternatives: 'Alternatives look like (one|two), none of them empty.',
    pattern: 'This is not a regular expression that can be used.',
    directory: 'Start the directory with / or ~/.',
    expiry: 'This time is in the past.',
  },
};

export const tester = {
  title: 'Would this command match?',
  command: 'Command',
  directory: 'Directory',
  placeholder: 'git status -s',
  allow: 'Would run',
  ask: 'You would be asked',
  deny: 'Would be refused',
  draft: 'Tested with your changes that are not saved.',
  rule: 'by a rule',
  fallback: 'With nobody to ask',
  toAllow: 'Make a rule for it',
  noRule: 'no rule',
  idle: 'Type a command to see what would happen to it.',
};

export const conflict = {
  title: 'Someone else changed the policy',
  merged: 'Changes made elsewhere were merged with yours. Nothing was lost.',
  text: 'Both of you changed the same things. Choose which to keep.',
  open: (n: number) =>
    plural(n, 'One of them was changed elsewhere too.', `${n} of them were changed elsewhere too.`),
  choose: 'Choose',
  mine: 'Keep yours',
  theirs: 'Keep theirs',
  yours: 'Yours',
  other: 'Theirs',
  deleted: 'deleted',
  done: 'Use these',
  mode: 'Mode',
  rule: 'Rule',
};
