import { NotRegularFileError, readRegularFile } from '../../system/regular-file.ts'
import { getExposure } from './exposure.ts'

/** Tokens are far shorter than this limit. */
const MAX_FILE_BYTES = 16 * 1024

/** Why a token file is not used, or is used with a warning (`readable`). */
export type TokenFileProblem = 'unreadable' | 'empty' | 'not-a-file' | 'foreign' | 'writable' | 'readable'

type TokenFile =
  | { readonly token: string; readonly problem: 'readable' | null }
  | { readonly token: null; readonly problem: Exclude<TokenFileProblem, 'readable'> }

/**
 * Reads a file that contains only a token; null if there is no such file. A symbolic link may lead
 * to it, as is usual for container secrets and dotfiles. A file that another user owns or can write
 * to is not trusted. A file that others can read is used with a warning.
 */
export function readTokenFile(file: string): TokenFile | null {
  try {
    const { text, stats } = readRegularFile(file, { follow: true, maxBytes: MAX_FILE_BYTES })
    const exposure = getExposure(stats)
    if (exposure === 'foreign' || exposure === 'writable') return { token: null, problem: exposure }
    const token = text.trim()
    return token === ''
      ? { token: null, problem: 'empty' }
      : { token, problem: exposure === 'readable' ? 'readable' : null }
  } catch (error) {
    if (error instanceof NotRegularFileError) return { token: null, problem: 'not-a-file' }
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return isAbsent ? null : { token: null, problem: 'unreadable' }
  }
}
