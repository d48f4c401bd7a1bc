import { Argument, Command as Parser, CommanderError, Option } from 'commander'
import { type Command, getFlags } from './command.ts'
import { type Flag, createUsageError } from './flags.ts'
import type { AppError } from '../../shared/errors.ts'

interface SplitCommandLine {
  /** The first word that is neither a flag nor the value of a flag; null if there is none. */
  readonly command: string | null
  readonly rest: readonly string[]
}

/**
 * Splits a command line. Flags may precede and follow the command, so the function must know which
 * flags take a value. One that takes a value only in some commands, such as `--sarif`, takes none
 * before the command.
 */
export function splitCommandLine(argv: readonly string[], commands: readonly Command[]): SplitCommandLine {
  const flags = commands.flatMap(getFlags)
  const switches = new Set(flags.filter(({ valueName }) => valueName === undefined).flatMap(listSpellings))
  const valueFlags = new Set(flags.flatMap(listSpellings).filter((spelling) => !switches.has(spelling)))
  for (let position = 0; position < argv.length; position += 1) {
    const word = argv[position] ?? ''
    if (word === '--') break
    if (valueFlags.has(word)) position += 1
    else if (!word.startsWith('-') || word === '-')
      return { command: word, rest: argv.filter((_, index) => index !== position) }
  }
  return { command: null, rest: argv }
}

const listSpellings = ({ name, short }: Flag): string[] => [`--${name}`, ...(short ? [`-${short}`] : [])]

/** Whether one of these flags is set. Only words before `--` and without a value count. */
export function hasFlag(words: readonly string[], ...names: readonly string[]): boolean {
  const end = words.indexOf('--')
  return (end < 0 ? words : words.slice(0, end)).some((word) => names.includes(word.replace(/=true$/, '')))
}

interface ParsedCommand {
  /**
   * The words for another entry point, which parses them by itself. Switches set to `=true` or
   * `=false` are resolved.
   */
  readonly words: readonly string[]
  readonly args: readonly string[]
  /** Options are named by their flag in camel case. */
  readonly options: Readonly<Record<string, unknown>>
}

/**
 * @throws FLAG_INVALID when the words do not fit the command. The message repeats no value, which
 *   could be a misplaced token.
 */
export function parseCommand(command: Command, words: readonly string[]): ParsedCommand {
  const parser = new Parser(command.name)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
    .helpOption(false)
    .allowExcessArguments(false)
    .action(() => undefined)
  for (const { name, required, isRepeatable, choices } of command.args) {
    const text = `${name}${isRepeatable ? '...' : ''}`
    const argument = new Argument(required ? `<${text}>` : `[${text}]`)
    parser.addArgument(choices ? argument.choices(choices) : argument)
  }
  for (const flag of getFlags(command)) parser.addOption(toOption(flag))
  const resolvedWords = resolveSwitches(command, words)
  try {
    parser.parse(resolvedWords, { from: 'user' })
  } catch (error) {
    throw error instanceof CommanderError ? toUsageError(error) : error
  }
  return { words: resolvedWords, args: parser.args, options: parser.opts() }
}

/**
 * Resolves switches that have a value: `--json=true` becomes `--json`, `--json=false` is left out.
 */
function resolveSwitches(command: Command, words: readonly string[]): readonly string[] {
  const names = new Set(getFlags(command).flatMap(({ name, valueName }) => (valueName === undefined ? [name] : [])))
  const end = words.indexOf('--')
  return words.flatMap((word, index) => {
    const [, name = '', value] = /^--([a-z-]+)=(.*)$/s.exec(word) ?? []
    if ((end >= 0 && index > end) || !names.has(name)) return [word]
    if (value === 'true') return [`--${name}`]
    if (value === 'false') return []
    throw createUsageError(`--${name} takes no value, or true or false.`)
  })
}

function toOption(flag: Flag): Option {
  const { name, short, valueName, choices, isRepeatable } = flag
  const long = `--${name}${valueName === undefined ? '' : ` <${valueName}>`}`
  const option = new Option(short ? `-${short}, ${long}` : long)
  if (choices) option.choices(choices)
  if (isRepeatable)
    option.argParser((value: string, previousValues: readonly string[] = []) => [...previousValues, value])
  return option
}

function toUsageError({ code, message }: CommanderError): AppError {
  const help = '--help lists what this command takes.'
  const name = /'(--?[A-Za-z][a-z-]*)/.exec(message)?.[1]
  switch (code) {
    case 'commander.unknownOption':
      return createUsageError(
        `${name === undefined ? 'There is a flag that this command does not know' : `Unknown flag ${hideAttachedValue(name)}`}.${formatSuggestion(message)} ${help}`,
      )
    case 'commander.optionMissingArgument':
      return createUsageError(`${formatSubject(message)} needs a value. ${help}`)
    case 'commander.missingArgument':
      return createUsageError(
        `An argument is missing: ${(/'([a-z0-9-]+)'/.exec(message)?.[1] ?? '').toUpperCase()}. ${help}`,
      )
    case 'commander.excessArguments':
      return createUsageError(`There are more arguments than this command takes. ${help}`)
    case 'commander.invalidArgument': {
      const choices = /Allowed choices are (.*)\.$/.exec(message)?.[1] ?? ''
      return createUsageError(`${formatSubject(message)} takes one of ${choices}.`)
    }
    default:
      return createUsageError(`The command line is not valid. ${help}`)
  }
}

/**
 * Converts Commander's suggestion for a mistyped word to a sentence with a space before it; empty
 * if there is none.
 */
const formatSuggestion = (message: string): string => {
  const suggestedWord = /\(Did you mean (?:one of )?([^?]+)\?\)/.exec(message)?.[1]
  return suggestedWord === undefined ? '' : ` Did you mean ${suggestedWord}?`
}

/** Suggests a similar word in a sentence that begins with a space; empty if no word is similar. */
export function suggestWord(word: string, words: readonly string[]): string {
  const parser = new Parser()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .helpCommand(false)
  for (const name of words) parser.command(name)
  try {
    parser.parse([word], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return formatSuggestion(error.message)
    throw error
  }
  return ''
}

/**
 * A value can follow a one-letter flag without a space. It could be a misplaced token, so it is
 * left out.
 */
const hideAttachedValue = (name: string): string => (name.startsWith('--') ? name : name.slice(0, 2))

const formatSubject = (message: string): string =>
  /option '(?:-\w, )?(--[a-z-]+)/.exec(message)?.[1] ??
  (/for argument '?([a-z-]+)/.exec(message)?.[1] ?? 'The argument').toUpperCase()
