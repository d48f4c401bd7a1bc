import { errorCodeOf } from '../../shared/bridge/errors.ts'
import { member } from '../../shared/json/object.ts'
import { jsonOf } from '../listing/entries.ts'
import { retryHint } from '../../electron/system/output.ts'
import { oneLine } from './printable.ts'

/** What the host's error says, if it is short enough to have come in one piece. */
export function errorIn(body: Uint8Array | null): { code: string | null; message: string | null } {
  if (body === null) return { code: null, message: null }
  try {
    const value = jsonOf(body)
    const error = member(value, 'error')
    const message = member(error, 'message')
    const seconds = member(error, 'retryAfterSeconds') ?? member(member(error, 'details'), 'retryAfterSeconds')
    const sentence = typeof message === 'string' ? oneLine(message).slice(0, 500) : null
    return { code: errorCodeOf(value), message: sentence && sentence + retryHint(seconds) }
  } catch {
    return { code: null, message: null }
  }
}
