import { errorCodeOf } from '../../shared/bridge/errors.ts'
import { member } from '../../shared/json/object.ts'
import { jsonOf } from '../listing/entries.ts'
import { oneLine } from './printable.ts'

/** What the host's error says, if it is short enough to have come in one piece. */
export function errorIn(body: Uint8Array | null): { code: string | null; message: string | null } {
  if (body === null) return { code: null, message: null }
  try {
    const value = jsonOf(body)
    const message = member(member(value, 'error'), 'message')
    return { code: errorCodeOf(value), message: typeof message === 'string' ? oneLine(message).slice(0, 500) : null }
  } catch {
    return { code: null, message: null }
  }
}
