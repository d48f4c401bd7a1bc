import { type Command, aboutOf, flagText, flagsOf, usageOf } from '../base/command.ts'

const WIDTH = 92

/** Breaks a paragraph into lines that begin with `indent`. */
function wrapped(text: string, indent = ''): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + word.length + 1 > WIDTH) {
      lines.push(indent + line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, indent + line].join('\n')
}

function rows(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.min(26, Math.max(...pairs.map(([left]) => left.length)))
  const indent = ' '.repeat(width + 4)
  return pairs
    .map(([left, right]) => {
      const text = wrapped(right, indent).slice(indent.length)
      return left.length > width ? `  ${left}\n${indent}${text}` : `  ${left.padEnd(width)}  ${text}`
    })
    .join('\n')
}

const examplesOf = (examples: Command['examples']): string =>
  examples.map(({ line, about }) => `  # ${about}\n  bridge-inspector ${line}`).join('\n')

/** The help of one command. */
export function commandHelp(command: Command): string {
  const { summary, about, args, examples } = command
  const flags = flagsOf(command).map((flag) => [flagText(flag), aboutOf(flag)] as const)
  return [
    `${summary}.`,
    `Usage: ${usageOf(command)}`,
    ...about.map((one) => wrapped(one)),
    ...(args.length > 0
      ? [`Arguments:\n${rows(args.map(({ name, about: text }) => [name.toUpperCase(), text]))}`]
      : []),
    `Flags (before or after the command):\n${rows(flags)}`,
    ...flagsOf(command).flatMap(({ name, meanings }) =>
      meanings ? [`Values of --${name}:\n${rows(Object.entries(meanings))}`] : [],
    ),
    `Examples:\n${examplesOf(examples)}`,
  ].join('\n\n')
}

/** The help of the program. */
export function programHelp(commands: readonly Command[]): string {
  return [
    'See, debug and test what happens between a plugin and the local bridge of a note-taking host.',
    'Usage: bridge-inspector [command] [arguments] [flags]',
    `Commands:\n${rows(commands.map(({ name, summary }) => [name, summary]))}`,
    wrapped(
      'Commands that talk to a host need --profile NAME, --base-url URL or --demo. The token comes from --token-file or BRIDGE_TOKEN, never from an argument; one that the app keeps in the keyring is found by the installed app’s own program, started with the same words. Reads work beside a running app: they keep nothing and take no lock. Writes need --write.',
    ),
    `Examples:\n${examplesOf([
      { line: '--demo', about: 'open the inspector with the demo library' },
      { line: 'status --demo', about: 'what a host says about itself' },
      { line: 'tree --help', about: 'everything about one command' },
    ])}`,
    'Exit codes and all commands: docs/command-line.md, or man bridge-inspector.',
  ].join('\n\n')
}
