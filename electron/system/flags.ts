import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { createRefusedError } from '../../shared/errors.ts'

/** Refuses positional arguments. @throws FLAG_UNKNOWN with one line for the user */
export function parseFlags<const T extends ParseArgsOptionsConfig>(options: T, argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw createRefusedError('FLAG_UNKNOWN', `${describeFlagError(error)} --help lists the flags.`)
  }
}

/** Describes an error without an argument that is no flag, which may be a misplaced token. */
function describeFlagError(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : '').split('\n')
  const [sentence = ''] = line.split('. ')
  if (!sentence.includes("'-")) return 'Every argument must be a flag or a flag’s value.'
  return `${sentence.replace(/\.$/, '').replace(/^([^=]*)=[^']*'/, "$1'")}.`
}
