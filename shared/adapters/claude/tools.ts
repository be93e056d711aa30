/** Tools that run shell text in their field `command`. */
export const shellTools: ReadonlySet<string> = new Set(['Bash', 'Monitor']);

/**
 * Tools that only look, plan or talk to the person, and tools whose own steps are asked about one by
 * one. Claude Code's rules decide about them. A tool that is in no list is asked about.
 */
export const freeTools: ReadonlySet<string> = new Set([
  'Read',
  'Grep',
  'Glob',
  'LS',
  'NotebookRead',
  'TodoRead',
  'TodoWrite',
  'Task',
  'Agent',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskUpdate',
  'TaskOutput',
  'TaskStop',
  'BashOutput',
  'KillBash',
  'KillShell',
  'AskUserQuestion',
  'EnterPlanMode',
  'ExitPlanMode',
  'ToolSearch',
  'ListMcpResources',
  'ListMcpResourcesTool',
]);
