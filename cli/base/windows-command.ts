import { statSync } from 'node:fs'
import path from 'node:path'
import { createUsageError } from './flags.ts'

interface ProcessCommand {
  readonly file: string
  readonly args: readonly string[]
  /** True if the arguments are quoted already. */
  readonly isVerbatim: boolean
}

const isExistingFile = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() === true

/** Returns the command that starts a program on this system. @throws FLAG_INVALID */
export function toProcessCommand(program: string, args: readonly string[], env: NodeJS.ProcessEnv): ProcessCommand {
  return process.platform === 'win32'
    ? toWindowsCommand(program, args, env)
    : { file: program, args, isVerbatim: false }
}

/**
 * Returns the command that starts a program on Windows. Only a batch file, as npm and npx are,
 * needs a shell; without one, nothing interprets the arguments.
 *
 * @throws FLAG_INVALID when an argument for a batch file has a line break, which cannot be quoted
 */
export function toWindowsCommand(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  isFile: (file: string) => boolean = isExistingFile,
): ProcessCommand {
  const file = findProgram(program, env, isFile)
  if (file === null || !/\.(?:cmd|bat)$/i.test(file)) return { file: file ?? program, args, isVerbatim: false }
  if (args.some((arg) => /[\0\r\n]/.test(arg)))
    throw createUsageError(`An argument for the batch file ${program} contains a line break.`)
  const line = [file, ...args].map(quoteForBatchFile).join(' ')
  return {
    file: readVariable(env, 'COMSPEC') ?? 'cmd.exe',
    args: ['/e:ON', '/v:OFF', '/d', '/s', '/c', `"${line}"`],
    isVerbatim: true,
  }
}

/** Looks where a shell would look, but not in the working directory. */
function findProgram(program: string, env: NodeJS.ProcessEnv, isFile: (file: string) => boolean): string | null {
  const folders = /[/\\]/.test(program) ? [''] : (readVariable(env, 'PATH') ?? '').split(';').filter(Boolean)
  const extensions = (readVariable(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter(Boolean)
  // A file without an extension is not a program of Windows.
  const endings = path.win32.extname(program) === '' ? extensions : ['', ...extensions]
  const files = folders.flatMap((folder) => endings.map((ending) => path.win32.join(folder, program + ending)))
  return files.find(isFile) ?? null
}

const readVariable = (env: NodeJS.ProcessEnv, upperName: string): string | undefined =>
  Object.entries(env).find(([name]) => name.toUpperCase() === upperName)?.[1]

/**
 * A doubled quotation mark stays inside the quotation for the shell and for the program, and
 * `%cd:~,%` is empty, so that the percent sign before it begins no variable.
 */
const quoteForBatchFile = (word: string): string =>
  `"${word
    .replace(/\\+"?|"/g, (run: string, offset: number) => {
      const slashes = run.replace('"', '')
      if (run.endsWith('"')) return `${slashes}${slashes}""`
      return offset + run.length === word.length ? slashes + slashes : slashes
    })
    .replaceAll('%', '%%cd:~,%')}"`
