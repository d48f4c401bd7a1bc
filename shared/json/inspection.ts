// JSON text and bytes as they were sent: inspection, scanning, pointers and edits that keep the
// rest unchanged. It knows nothing of the host: its shapes are in shared/bridge. Read this file
// first, then token-cursor.ts.

import { JsonFindingList, type JsonFinding } from './findings.ts'
import { scanJson } from './scan.ts'
import { decodeUtf8, hasBom } from './utf8.ts'

export { decodeUtf8 } from './utf8.ts'

export function isValidJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** JavaScript would round a number of so many digits. */
export function mayHaveLongNumber(text: string): boolean {
  return /[^\w"]\d{16}/.test(text)
}

export interface JsonInspection {
  /** The bytes as text, without a byte order mark; invalid UTF-8 becomes replacement characters. */
  readonly text: string
  /** Undefined if `isValid` is false. */
  readonly value: unknown
  /** False if the text is not JSON or is nested too deeply. */
  readonly isValid: boolean
  readonly findings: readonly JsonFinding[]
  /** Includes findings that are not kept. */
  readonly findingTotal: number
}

/**
 * Parses JSON bytes and reports what plain parsing would change or hide: invalid UTF-8, a byte
 * order mark, numbers that a double cannot hold, repeated names, lone surrogates, bidi controls,
 * extreme depth. Never throws.
 */
export function inspectJson(bytes: Uint8Array): JsonInspection {
  const { text, invalidAt } = decodeUtf8(bytes)
  const findings = new JsonFindingList()
  reportEncoding(bytes, invalidAt, findings)
  // Scanned first, because text that is nested too deeply must not be parsed at all.
  if (!scanJson(text, findings)) return createInspection(text, undefined, false, findings)
  try {
    return createInspection(text, JSON.parse(text) as unknown, true, findings)
  } catch (error) {
    // Findings of the scan are meaningless in text that is not JSON.
    const encodingFindings = new JsonFindingList()
    reportEncoding(bytes, invalidAt, encodingFindings)
    encodingFindings.add(() => ({
      kind: 'not-json',
      message: error instanceof Error ? error.message.slice(0, 200) : 'not JSON',
    }))
    return createInspection(text, undefined, false, encodingFindings)
  }
}

function reportEncoding(bytes: Uint8Array, invalidAt: number | null, findings: JsonFindingList): void {
  if (hasBom(bytes)) findings.add(() => ({ kind: 'bom' }))
  if (invalidAt !== null) findings.add(() => ({ kind: 'invalid-utf8', offset: invalidAt }))
}

function createInspection(text: string, value: unknown, isValid: boolean, findings: JsonFindingList): JsonInspection {
  return { text, value, isValid, findings: findings.items, findingTotal: findings.total }
}
