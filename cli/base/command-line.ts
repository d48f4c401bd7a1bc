import { Argument, Command as Parser, CommanderError, Option } from 'commander'
import { type Command, getFlags } from './command.ts'
import { type Flag, usageError } from './flags.ts'
import type { AppError } from '../../shared/errors.ts'

/** The command line with its command taken out, wherever it stood. */
interface SplitCommandLine {
  /** The first word that is neither a flag nor the value of one; null if there is none. */
  readonly command: string | null
  readonly rest: readonly string[]
}

/** Splits a command line. Flags may stand on both sides of the command, so it must be known which of them take a value. */
export function splitCommandLine(argv: readonly string[], commands: readonly Command[]): SplitCommandLine {
  const takers = new Set(
    commands
      .flatMap(getFlags)
      .filter(({ valueName: value }) => value !== undefined)
      .flatMap(spellings),
  )
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? ''
    if (word === '--') break
    if (takers.has(word)) at += 1
    else if (!word.startsWith('-') || word === '-')
      return { command: word, rest: argv.filter((_, index) => index !== at) }
  }
  return { command: null, rest: argv }
}

const spellings = ({ name, short }: Flag): string[] => [`--${name}`, ...(short ? [`-${short}`] : [])]

/** Whether a flag without a value stands in these words. */
export function hasFlag(words: readonly string[], ...names: readonly string[]): boolean {
  const end = words.indexOf('--')
  return (end < 0 ? words : words.slice(0, end)).some((word) => names.includes(word.replace(/=true$/, '')))
}

interface ParsedCommand {
  /** The words as they were checked, for another entry point that parses them by itself. */
  readonly words: readonly string[]
  readonly args: readonly string[]
  /** By name in camel case. */
  readonly options: Readonly<Record<string, unknown>>
}

/** Parses the words of a command. Throws `FLAG_INVALID`, in one line that repeats no value: it could be a misplaced token. */
export function parseCommand(command: Command, words: readonly string[]): ParsedCommand {
  const parser = new Parser(command.name)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
    .helpOption(false)
    .allowExcessArguments(false)
    .action(() => undefined)
  for (const { name, required, isRepeatable: many, choices } of command.args) {
    const text = `${name}${many ? '...' : ''}`
    const argument = new Argument(required ? `<${text}>` : `[${text}]`)
    parser.addArgument(choices ? argument.choices(choices) : argument)
  }
  for (const flag of getFlags(command)) parser.addOption(optionOf(flag))
  const checked = switchesOf(command, words)
  try {
    parser.parse(checked, { from: 'user' })
  } catch (error) {
    throw error instanceof CommanderError ? complaint(error) : error
  }
  return { words: checked, args: parser.args, options: parser.opts() }
}

/** Without the switches that are turned off as `--json=false`; `--json=true` is `--json`. */
function switchesOf(command: Command, words: readonly string[]): readonly string[] {
  const names = new Set(getFlags(command).flatMap(({ name, valueName: value }) => (value === undefined ? [name] : [])))
  const end = words.indexOf('--')
  return words.flatMap((word, index) => {
    const [, name = '', value] = /^--([a-z-]+)=(.*)$/s.exec(word) ?? []
    if ((end >= 0 && index > end) || !names.has(name)) return [word]
    if (value === 'true') return [`--${name}`]
    if (value === 'false') return []
    throw usageError(`--${name} takes no value, or true or false.`)
  })
}

function optionOf(flag: Flag): Option {
  const { name, short, valueName: value, choices, isRepeatable: many } = flag
  const long = `--${name}${value === undefined ? '' : ` <${value}>`}`
  const option = new Option(short ? `-${short}, ${long}` : long)
  if (choices) option.choices(choices)
  if (many) option.argParser((one: string, before: readonly string[] = []) => [...before, one])
  return option
}

function complaint({ code, message }: CommanderError): AppError {
  const help = '--help lists what this command takes.'
  const name = /'(--?[A-Za-z][a-z-]*)/.exec(message)?.[1]
  switch (code) {
    case 'commander.unknownOption':
      return usageError(
        `${name === undefined ? 'There is a flag that this command does not know' : `Unknown flag ${shortened(name)}`}.${suggestionIn(message)} ${help}`,
      )
    case 'commander.optionMissingArgument':
      return usageError(`${flagIn(message)} needs a value. ${help}`)
    case 'commander.missingArgument':
      return usageError(`An argument is missing: ${(/'([a-z0-9-]+)'/.exec(message)?.[1] ?? '').toUpperCase()}. ${help}`)
    case 'commander.excessArguments':
      return usageError(`There are more arguments than this command takes. ${help}`)
    case 'commander.invalidArgument': {
      const choices = /Allowed choices are (.*)\.$/.exec(message)?.[1] ?? ''
      return usageError(`${flagIn(message)} takes one of ${choices}.`)
    }
    default:
      return usageError(`The command line is not valid. ${help}`)
  }
}

/** What Commander takes a mistyped word for, as a sentence after another one; empty if nothing is near. */
const suggestionIn = (message: string): string => {
  const meant = /\(Did you mean (?:one of )?([^?]+)\?\)/.exec(message)?.[1]
  return meant === undefined ? '' : ` Did you mean ${meant}?`
}

/** The same for a word that should be one of these. */
export function suggestWord(word: string, words: readonly string[]): string {
  const parser = new Parser()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .helpCommand(false)
  for (const name of words) parser.command(name)
  try {
    parser.parse([word], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return suggestionIn(error.message)
    throw error
  }
  return ''
}

/** A flag with a single dash may have its value behind it. */
const shortened = (name: string): string => (name.startsWith('--') ? name : name.slice(0, 2))

/** The flag or argument that a message is about. */
const flagIn = (message: string): string =>
  /option '(?:-\w, )?(--[a-z-]+)/.exec(message)?.[1] ??
  (/for argument '?([a-z-]+)/.exec(message)?.[1] ?? 'The argument').toUpperCase()
