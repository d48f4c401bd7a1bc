import { parseArgs } from 'node:util'
import { type Command, getFlags } from './command.ts'
import { type Flag, createUsageError } from './flags.ts'
import type { AppError } from '../../shared/errors.ts'
import { computeEditDistance } from '../../electron/core/contract/edit-distance.ts'

/**
 * Splits a command line. Flags may precede and follow the command, so the function must know which
 * flags take a value. One that takes a value only in some commands, such as `--sarif`, takes none
 * before the command.
 */
export function splitCommandLine(argv: readonly string[], commands: readonly Command[]) {
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

/** @throws FLAG_INVALID; the message repeats no value, which could be a misplaced token */
export function parseCommand(command: Command, words: readonly string[]) {
  const flags = getFlags(command)
  /** Words for an entry point that parses them itself; `=true` and `=false` are resolved. */
  const resolvedWords = resolveSwitches(command, words)
  const { tokens } = parseArgs({
    args: [...resolvedWords],
    options: Object.fromEntries(flags.map((flag) => [flag.name, toParserOption(flag)])),
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const args: string[] = []
  /** Options are named by their flag in camel case. */
  const options: Record<string, unknown> = {}
  for (const token of tokens) {
    if (token.kind === 'positional') args.push(token.value)
    if (token.kind !== 'option') continue
    const flag = flags.find(({ name }) => name === token.name)
    if (!flag) throw createUnknownFlagError(token.rawName, flags)
    const option = flag.name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
    const value = flag.valueName === undefined ? true : parseFlagValue(flag, token.value)
    options[option] = flag.isRepeatable ? [...((options[option] as string[] | undefined) ?? []), value] : value
  }
  assertArguments(command, args)
  return { words: resolvedWords, args, options }
}

const HELP_HINT = '--help lists what this command takes.'

const toParserOption = ({ short, valueName }: Flag): { type: 'string' | 'boolean'; short?: string } => ({
  type: valueName === undefined ? 'boolean' : 'string',
  ...(short === undefined ? {} : { short }),
})

function parseFlagValue({ name, choices, isFilled }: Flag, value: string | undefined): string {
  if (value === undefined || (isFilled && value === '')) throw createUsageError(`--${name} needs a value. ${HELP_HINT}`)
  if (choices && !choices.includes(value)) throw createUsageError(`--${name} takes one of ${choices.join(', ')}.`)
  return value
}

/** @throws FLAG_INVALID when there are too few or too many arguments, or one is not a choice */
function assertArguments({ args: specs }: Command, args: readonly string[]): void {
  for (const [index, { name, required, choices }] of specs.entries()) {
    const value = args[index]
    if (value === undefined && required)
      throw createUsageError(`An argument is missing: ${name.toUpperCase()}. ${HELP_HINT}`)
    if (value !== undefined && choices && !choices.includes(value))
      throw createUsageError(`${name.toUpperCase()} takes one of ${choices.join(', ')}.`)
  }
  if (args.length > specs.length && !specs.at(-1)?.isRepeatable)
    throw createUsageError(`There are more arguments than this command takes. ${HELP_HINT}`)
}

/** Resolves switches with a value: `--json=true` becomes `--json`; `--json=false` is left out. */
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

/**
 * @param rawName with its dashes; of letters after one dash, the first one that is not known. The
 *   rest could be a misplaced token, so only a name of letters is repeated.
 */
function createUnknownFlagError(rawName: string, flags: readonly Flag[]): AppError {
  const name = /^--?[A-Za-z][a-z-]*/.exec(rawName)?.[0]
  if (name === undefined) return createUsageError(`There is a flag that this command does not know. ${HELP_HINT}`)
  const suggestion = name.startsWith('--')
    ? suggestWord(
        name,
        flags.map((flag) => `--${flag.name}`),
      )
    : ''
  return createUsageError(`Unknown flag ${name}.${suggestion} ${HELP_HINT}`)
}

/** More edits make another word. */
const MAX_EDITS = 3
const MAX_EDITED_SHARE = 0.6

/** Suggests similar words in a sentence that begins with a space; empty if no word is similar. */
export function suggestWord(word: string, words: readonly string[]): string {
  const name = word.replace(/^--/, '')
  const distances = [...new Set(words)].map((candidate) => {
    const candidateName = candidate.replace(/^--/, '')
    const distance = computeEditDistance(name, candidateName)
    const isSimilar = distance < MAX_EDITED_SHARE * Math.max(name.length, candidateName.length)
    return { candidate, distance: isSimilar ? distance : Infinity }
  })
  const smallest = Math.min(MAX_EDITS, ...distances.map(({ distance }) => distance))
  const similar = distances.flatMap(({ candidate, distance }) => (distance === smallest ? candidate : []))
  return similar.length > 0 ? ` Did you mean ${similar.sort().join(', ')}?` : ''
}
