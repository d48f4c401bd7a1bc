import type { Command } from '../command.ts'
import type { Flag } from '../flags.ts'
import { flagsOf } from '../describe/flags-of.ts'

/** The command line with its command taken out, wherever it stood. */
export interface Words {
  /** The first word that is neither a flag nor the value of one; null if there is none. */
  readonly command: string | null
  readonly rest: readonly string[]
}

/** Splits a command line. Flags may stand on both sides of the command, so it must be known which of them take a value. */
export function wordsOf(argv: readonly string[], commands: readonly Command[]): Words {
  const takers = new Set(
    commands
      .flatMap(flagsOf)
      .filter(({ value }) => value !== undefined)
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
export function has(words: readonly string[], ...names: readonly string[]): boolean {
  const end = words.indexOf('--')
  return (end < 0 ? words : words.slice(0, end)).some((word) => names.includes(word.replace(/=true$/, '')))
}
