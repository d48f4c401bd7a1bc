/** The commands of the program, by name (`cli/commands`; a test compares them). For whoever must know one without loading them all. */
export const commandWords = [
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
  'export',
  'watch',
  'mcp',
  'completion',
] as const

export type CommandWord = (typeof commandWords)[number]
