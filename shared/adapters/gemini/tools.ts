/**
 * Tools that only look, plan or talk to the person, and tools whose own steps are asked about one by
 * one. Gemini CLI's rules decide about them. A tool that is in no list is asked about.
 */
export const freeTools: ReadonlySet<string> = new Set([
  'read_file',
  'read_many_files',
  'list_directory',
  'glob',
  'grep_search',
  'search_file_content',
  'get_internal_docs',
  'list_mcp_resources',
  'ask_user',
  'write_todos',
  'update_topic',
  'enter_plan_mode',
  'exit_plan_mode',
  'complete_task',
  'invoke_agent',
  'tracker_create_task',
  'tracker_update_task',
  'tracker_get_task',
  'tracker_list_tasks',
  'tracker_add_dependency',
  'tracker_visualize',
]);
