import { commandNames } from '../../electron/system/command-names.ts'
import type { Command } from '../base/command.ts'

/**
 * Loads each command by its name. Code that commands share is in cli/base, their output in
 * cli/output, and writes in cli/writes. Read cli/base/command.ts first, then status.ts.
 */
const loaders: Readonly<Record<(typeof commandNames)[number], () => Promise<Command | undefined>>> = {
  open: () => loadProgram('open'),
  serve: () => loadProgram('serve'),
  'demo-host': () => loadProgram('demo-host'),
  status: async () => (await import('./status.ts')).statusCommand,
  doctor: async () => (await import('./status.ts')).doctorCommand,
  profiles: async () => (await import('./profiles.ts')).profilesCommand,
  call: async () => (await import('./call.ts')).callCommand,
  'study-sets': async () => (await import('./lists.ts')).studySetsCommand,
  documents: async () => (await import('./lists.ts')).documentsCommand,
  tree: async () => (await import('./tree.ts')).treeCommand,
  cards: async () => (await import('./cards.ts')).cardsCommand,
  excerpts: async () => (await import('./lists.ts')).excerptsCommand,
  content: async () => (await import('./content.ts')).contentCommand,
  palette: async () => (await import('./lists.ts')).paletteCommand,
  search: async () => (await import('./lists.ts')).searchCommand,
  snapshot: async () => (await import('./snapshot.ts')).snapshotCommand,
  library: async () => (await import('./library.ts')).libraryCommand,
  diff: async () => (await import('./diff.ts')).diffCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  watch: async () => (await import('./watch.ts')).watchCommand,
  findings: async () => (await import('./findings.ts')).findingsCommand,
  coverage: async () => (await import('./coverage.ts')).coverageCommand,
  panel: async () => (await import('./panel.ts')).panelCommand,
  record: async () => (await import('./record.ts')).recordCommand,
  recording: async () => (await import('./recording.ts')).recordingCommand,
  run: async () => (await import('./run.ts')).runCommand,
  check: async () => (await import('./check.ts')).checkCommand,
  contract: async () => (await import('./contract.ts')).contractCommand,
  mcp: async () => (await import('./mcp.ts')).mcpCommand,
  completion: async () => (await import('./completion.ts')).createCompletionCommand(loadCommands),
}

async function loadProgram(name: string): Promise<Command | undefined> {
  const { programCommands } = await import('./programs.ts')
  return programCommands.find((command) => command.name === name)
}

/** Returns undefined if no command has this name. */
export async function loadCommand(name: string): Promise<Command | undefined> {
  const knownName = commandNames.find((candidate) => candidate === name)
  return knownName && loaders[knownName]()
}

/** Loads all commands in the order of the help, for what describes them. */
export async function loadCommands(): Promise<readonly Command[]> {
  const commands = await Promise.all(commandNames.map(loadCommand))
  return commands.filter((command) => command !== undefined)
}

/** Runs if the command line names no command. */
export const DEFAULT_COMMAND = 'open'
