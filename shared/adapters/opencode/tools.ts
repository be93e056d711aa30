/**
 * Tools that only look, plan or talk to the person, and tools whose own steps are asked about one by
 * one. OpenCode's rules decide about them. A tool that is in no list is asked about.
 */
export const freeTools: ReadonlySet<string> = new Set([
  'read',
  'grep',
  'glob',
  'list',
  'lsp',
  'task',
  'todoread',
  'todowrite',
  'question',
  'skill',
  'plan_enter',
  'plan_exit',
  'invalid',
]);
