import { errorCodeOf } from '../../shared/bridge/errors.ts'
import { getMember } from '../../shared/json/object.ts'
import { parseJson } from './response-list.ts'
import { formatErrorLine, formatRetryHint } from '../../electron/system/output.ts'
import { AppError } from '../../shared/errors.ts'
import { toSingleLine } from '../base/io.ts'

/** What the host's error says, if it is short enough to have come in one piece. */
export function parseHostError(body: Uint8Array | null): { code: string | null; message: string | null } {
  if (body === null) return { code: null, message: null }
  try {
    const value = parseJson(body)
    const error = getMember(value, 'error')
    const message = getMember(error, 'message')
    const seconds = getMember(error, 'retryAfterSeconds') ?? getMember(getMember(error, 'details'), 'retryAfterSeconds')
    const sentence = typeof message === 'string' ? toSingleLine(message).slice(0, 500) : null
    return { code: errorCodeOf(value), message: sentence && sentence + formatRetryHint(seconds) }
  } catch {
    return { code: null, message: null }
  }
}

/** What to do, in flags: the services speak to whoever has the window before them. */
const GIVE_TOKEN = 'Give the token with --token-file or BRIDGE_TOKEN, or name a profile that has one with --profile.'
const advice: Readonly<Record<string, { readonly message: string; readonly action: string }>> = {
  TOKEN_NONE: { message: `The host requires a token, and there is none. ${GIVE_TOKEN}`, action: GIVE_TOKEN },
  TOKEN_REFUSED: { message: `The host does not accept the token. ${GIVE_TOKEN}`, action: GIVE_TOKEN },
}

/** What to do about an error of this code, as flags; null if the services say nothing else. */
export const getAdvice = (code: string | undefined): string | null => advice[code ?? '']?.action ?? null

/** An error as a line, with its advice in flags. */
export function formatError(thrown: unknown): string {
  const message = thrown instanceof AppError ? advice[thrown.code ?? '']?.message : undefined
  return message === undefined || !(thrown instanceof AppError) ? formatErrorLine(thrown) : `${thrown.code}: ${message}`
}
