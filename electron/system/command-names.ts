/**
 * Names of the program's commands, for code that must not load the commands themselves. A test
 * compares them with `cli/commands`.
 */
export const commandNames = [
  'open',
  'serve',
  'demo-host',
  'status',
  'doctor',
  'profiles',
  'call',
  'study-sets',
  'documents',
  'tree',
  'cards',
  'excerpts',
  'content',
  'palette',
  'search',
  'snapshot',
  'diff',
  'export',
  'watch',
  'findings',
  'panel',
  'record',
  'recording',
  'run',
  'check',
  'contract',
  'mcp',
  'completion',
] as const
