import { errorCodeOf } from '../../../../shared/bridge/errors.ts'
import { inspectJson } from '../../../../shared/json/inspect.ts'
import { ERROR_BYTES } from '../wire/decode.ts'

/** Code of the host's error in an answer that passes through; null if it has none, or is too long to be one. */
export function hostCodeIn(bytes: Uint8Array): string | null {
  if (bytes.byteLength > ERROR_BYTES || bytes[0] !== '{'.charCodeAt(0)) return null
  const { ok, value } = inspectJson(bytes)
  return ok ? errorCodeOf(value) : null
}
