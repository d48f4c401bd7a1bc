import { errorCodeOf } from '../../shared/bridge/errors.ts'
import { getMember } from '../../shared/json/object.ts'
import { parseJson } from './response-list.ts'
import { formatErrorLine, formatRetryHint } from '../../electron/system/output.ts'
import { AppError } from '../../shared/errors.ts'
import { toSingleLine } from '../base/io.ts'

/** Both members are null if the body has no error. */
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

/** The advice names flags: the texts of the services are for a user in front of the window. */
const GIVE_TOKEN = 'Give the token with --token-file or BRIDGE_TOKEN, or name a profile that has one with --profile.'
const adviceByCode: Readonly<Record<string, { readonly message: string; readonly action: string }>> = {
  TOKEN_NONE: { message: `The host requires a token, and there is none. ${GIVE_TOKEN}`, action: GIVE_TOKEN },
  TOKEN_REFUSED: { message: `The host does not accept the token. ${GIVE_TOKEN}`, action: GIVE_TOKEN },
}

/** Returns advice that names flags; null if the advice of the services applies. */
export function getErrorAdvice(code: string | undefined): string | null {
  return adviceByCode[code ?? '']?.action ?? null
}

/** Formats an error as a single line, with advice that names flags. */
export function formatError(error: unknown): string {
  const message = error instanceof AppError ? adviceByCode[error.code ?? '']?.message : undefined
  return message === undefined || !(error instanceof AppError) ? formatErrorLine(error) : `${error.code}: ${message}`
}
