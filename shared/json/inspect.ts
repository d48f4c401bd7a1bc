import { FindingList, type Finding } from './findings.ts'
import { scanJson } from './scan.ts'

export interface Inspected {
  /** The bytes as text; where they are no UTF-8, with replacement characters. Without a byte order mark. */
  readonly text: string
  /** The parsed value; undefined when `ok` is false. */
  readonly value: unknown
  /** False when the text is no JSON or nested too deeply. */
  readonly ok: boolean
  readonly findings: readonly Finding[]
  /** All findings, also those beyond the kept ones. */
  readonly findingTotal: number
}

const hasBom = (bytes: Uint8Array): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

/** Strict UTF-8 first; on failure the lenient text and where the first bad byte is. */
export function decodeUtf8(bytes: Uint8Array): { text: string; invalidAt: number | null } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), invalidAt: null }
  } catch {
    return { text: new TextDecoder('utf-8').decode(bytes), invalidAt: firstInvalid(bytes) }
  }
}

/**
 * Parses JSON bytes and says everything that plain parsing would change or hide: invalid UTF-8, a byte order mark, numbers
 * that a double cannot hold, repeated names, lone surrogates, bidi controls, extreme depth. Never throws.
 */
export function inspectJson(bytes: Uint8Array): Inspected {
  const findings = new FindingList()
  if (hasBom(bytes)) findings.add({ kind: 'bom' })
  const { text, invalidAt } = decodeUtf8(bytes)
  if (invalidAt !== null) findings.add({ kind: 'invalid-utf8', offset: invalidAt })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    findings.add({ kind: 'not-json', message: error instanceof Error ? error.message.slice(0, 200) : 'not JSON' })
    return result(text, undefined, false, findings)
  }
  const ok = scanJson(text, findings)
  return result(text, ok ? value : undefined, ok, findings)
}

function result(text: string, value: unknown, ok: boolean, findings: FindingList): Inspected {
  return { text, value, ok, findings: findings.items, findingTotal: findings.total }
}

/** Offset of the first byte that does not belong to valid UTF-8. Only called where a strict decode failed. */
function firstInvalid(bytes: Uint8Array): number {
  let at = 0
  while (at < bytes.length) {
    const lead = bytes[at] ?? 0
    const length =
      lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0
    if (length === 0 || lead === 0xc0 || lead === 0xc1 || (lead >= 0x80 && lead < 0xc2)) return at
    if (length > 1) {
      try {
        new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(at, at + length))
      } catch {
        return at
      }
    }
    at += length
  }
  return bytes.length
}
