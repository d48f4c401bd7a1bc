// Texts generated from the declarations of commands in cli/commands: help and shell completion.
// scripts/lib has the manual and the reference. Read this file first.

import { type Command, describeFlag, formatFlag, getFlags, formatUsage } from '../base/command.ts'

/** Width where nobody says how wide the output is, as in a file. */
const DEFAULT_WIDTH_CHARS = 92
/** Narrower lines hold single words. */
const MIN_WIDTH_CHARS = 40

/** All columns as in a page of `man`, up to a limit; `columns` is undefined without a terminal. */
function getLineWidth(columns: number | undefined): number {
  return Math.max(MIN_WIDTH_CHARS, columns ?? DEFAULT_WIDTH_CHARS)
}

function wrapText(text: string, width: number, indent = ''): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + word.length + 1 > width) {
      lines.push(indent + line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, indent + line].join('\n')
}

function formatRows(lineWidth: number, pairs: readonly (readonly [string, string])[]): string {
  const width = Math.min(26, Math.floor(lineWidth / 4), Math.max(...pairs.map(([left]) => left.length)))
  const indent = ' '.repeat(width + 4)
  return pairs
    .map(([left, right]) => {
      const text = wrapText(right, lineWidth, indent).slice(indent.length)
      return left.length > width ? `  ${left}\n${indent}${text}` : `  ${left.padEnd(width)}  ${text}`
    })
    .join('\n')
}

/** The command lines stay whole, so that they can be copied. */
function formatExamples(examples: Command['examples'], width: number): string {
  return examples
    .map(({ commandLine, description }) => `${wrapText(description, width, '  # ')}\n  bridge-inspector ${commandLine}`)
    .join('\n')
}

const formatUsageLine = (usage: string, width: number): string =>
  `Usage: ${wrapText(usage, width, ' '.repeat(7)).trimStart()}`

/** @param columns width of the terminal; undefined if there is none */
export function formatCommandHelp(command: Command, columns?: number): string {
  const width = getLineWidth(columns)
  const { summary, description, args, examples } = command
  const flags = getFlags(command).map((flag) => [formatFlag(flag), describeFlag(flag)] as const)
  return [
    wrapText(`${summary}.`, width),
    formatUsageLine(formatUsage(command), width),
    ...description.map((paragraph) => wrapText(paragraph, width)),
    ...(args.length > 0
      ? [
          `Arguments:\n${formatRows(
            width,
            args.map((argument) => [argument.name.toUpperCase(), argument.description]),
          )}`,
        ]
      : []),
    `Flags (before or after the command):\n${formatRows(width, flags)}`,
    ...getFlags(command).flatMap(({ name, choiceDescriptions }) =>
      choiceDescriptions ? [`Values of --${name}:\n${formatRows(width, Object.entries(choiceDescriptions))}`] : [],
    ),
    `Examples:\n${formatExamples(examples, width)}`,
  ].join('\n\n')
}

const programExamples: Command['examples'] = [
  { commandLine: '--demo', description: 'open the inspector with the demo library' },
  { commandLine: 'status --demo', description: 'what a host says about itself' },
  { commandLine: 'tree --help', description: 'everything about one command' },
]

/** @param columns width of the terminal; undefined if there is none */
export function formatProgramHelp(commands: readonly Command[], columns?: number): string {
  const width = getLineWidth(columns)
  return [
    wrapText('See, debug and test what happens between a plugin and the local bridge of a note-taking host.', width),
    formatUsageLine('bridge-inspector [command] [arguments] [flags]', width),
    `Commands:\n${formatRows(
      width,
      commands.map(({ name, summary }) => [name, summary]),
    )}`,
    wrapText(
      'Commands that talk to a host need --profile NAME, --base-url URL or --demo. The token comes from --token-file or BRIDGE_TOKEN, never from an argument; one that the app keeps in the keyring is found by the installed app’s own program, started with the same words. Reads work beside a running app: they keep nothing and take no lock. Writes need --write.',
      width,
    ),
    `Examples:\n${formatExamples(programExamples, width)}`,
    wrapText('Exit codes and all commands: docs/command-line.md, or man bridge-inspector.', width),
  ].join('\n\n')
}
