import type { Command } from '../base/command.ts'
import { createCompletionScript } from '../describe/completion-script.ts'
import { callCommand } from './call.ts'
import { cardsCommand } from './cards.ts'
import { createCompletionCommand } from './completion.ts'
import { checkCommand } from './check.ts'
import { contentCommand } from './content.ts'
import { contractCommand } from './contract.ts'
import { coverageCommand } from './coverage.ts'
import { diffCommand } from './diff.ts'
import { exportCommand } from './export.ts'
import { findingsCommand } from './findings.ts'
import { libraryCommand } from './library.ts'
import { excerptsCommand, paletteCommand, searchCommand, studySetCommands } from './lists.ts'
import { mcpCommand } from './mcp.ts'
import { panelCommand } from './panel.ts'
import { profilesCommand } from './profiles.ts'
import { programCommands } from './programs.ts'
import { recordCommand } from './record.ts'
import { recordingCommand } from './recording.ts'
import { runCommand } from './run.ts'
import { snapshotCommand } from './snapshot.ts'
import { doctorCommand, statusCommand } from './status.ts'
import { treeCommand } from './tree.ts'
import { watchCommand } from './watch.ts'

/**
 * In the order of the help. Code that commands share is in cli/base, their output in cli/output,
 * and writes in cli/writes. Read cli/base/command.ts first, then status.ts as an example.
 */
export const commands: readonly Command[] = [
  ...programCommands,
  statusCommand,
  doctorCommand,
  profilesCommand,
  callCommand,
  ...studySetCommands,
  treeCommand,
  cardsCommand,
  excerptsCommand,
  contentCommand,
  paletteCommand,
  searchCommand,
  snapshotCommand,
  libraryCommand,
  diffCommand,
  exportCommand,
  watchCommand,
  findingsCommand,
  coverageCommand,
  panelCommand,
  recordCommand,
  recordingCommand,
  runCommand,
  checkCommand,
  contractCommand,
  mcpCommand,
  createCompletionCommand((shell) => createCompletionScript(shell, commands)),
]

/** Runs if the command line names no command. */
export const DEFAULT_COMMAND = 'open'
