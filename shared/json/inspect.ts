import { FindingList, type Finding } from './findings.ts'
import { scanJson } from './scan.ts'
import { decodeUtf8, hasBom } from './utf8.ts'

export { decodeUtf8 } from './utf8.ts'

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

/**
 * Parses JSON bytes and says everything that plain parsing would change or hide: invalid UTF-8, a byte order mark, numbers
 * that a double cannot hold, repeated names, lone surrogates, bidi controls, extreme depth. Never throws.
 */
export function inspectJson(bytes: Uint8Array): Inspected {
  const { text, invalidAt } = decodeUtf8(bytes)
  const findings = new FindingList()
  noteEncoding(bytes, invalidAt, findings)
  // Scanned first: a depth that nothing copes with is not parsed at all.
  if (!scanJson(text, findings)) return result(text, undefined, false, findings)
  try {
    return result(text, JSON.parse(text) as unknown, true, findings)
  } catch (error) {
    // What the scan said of a text that is no JSON means nothing.
    const bad = new FindingList()
    noteEncoding(bytes, invalidAt, bad)
    bad.add(() => ({ kind: 'not-json', message: error instanceof Error ? error.message.slice(0, 200) : 'not JSON' }))
    return result(text, undefined, false, bad)
  }
}

function noteEncoding(bytes: Uint8Array, invalidAt: number | null, findings: FindingList): void {
  if (hasBom(bytes)) findings.add(() => ({ kind: 'bom' }))
  if (invalidAt !== null) findings.add(() => ({ kind: 'invalid-utf8', offset: invalidAt }))
}

function result(text: string, value: unknown, ok: boolean, findings: FindingList): Inspected {
  return { text, value, ok, findings: findings.items, findingTotal: findings.total }
}
