import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { createRefusedError } from '../../shared/errors.ts'

/** The flags of a program that takes nothing else. Throws `FLAG_UNKNOWN`, in one line. */
export function parseFlags<const T extends ParseArgsOptionsConfig>(options: T, argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw createRefusedError('FLAG_UNKNOWN', `${complaint(error)} --help lists the flags.`)
  }
}

/** Node's complaint about a bad flag, in one line. Never repeats an argument that is not a flag: it may be a misplaced token. */
function complaint(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : '').split('\n')
  const [sentence = ''] = line.split('. ')
  if (!sentence.includes("'-")) return 'Every argument must be a flag or a flag’s value.'
  return `${sentence.replace(/\.$/, '').replace(/=[^']*'/, "'")}.`
}
