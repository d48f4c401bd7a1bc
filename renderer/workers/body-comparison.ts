import { parse, parseNumberAndBigInt } from 'lossless-json'
import { inspectJson } from '../../shared/json/inspection.ts'
import { compareJson, type JsonComparison } from '../../shared/bridge/compare.ts'

export interface CompareRequest {
  readonly before: ArrayBuffer
  readonly after: ArrayBuffer
}

/**
 * `text` means that at least one body is not JSON, so that both are compared as text. `bytes` means
 * that at least one body is not even text.
 */
export type BodyComparison =
  | ({ readonly kind: 'json' } & JsonComparison)
  | { readonly kind: 'text'; readonly before: string; readonly after: string }
  | { readonly kind: 'bytes'; readonly isSame: boolean }

export type CompareReply =
  { readonly ok: true; readonly result: BodyComparison } | { readonly ok: false; readonly message: string }

/**
 * Compares two bodies by structure if both are JSON, otherwise as text or bytes. Integers that a
 * double cannot hold are compared exactly.
 */
export function compareBodies({ before, after }: CompareRequest): BodyComparison {
  const first = inspectJson(new Uint8Array(before))
  const second = inspectJson(new Uint8Array(after))
  if (first.isValid && second.isValid)
    return { kind: 'json', ...compareJson(parseExactValue(first), parseExactValue(second)) }
  const isText = [first, second].every(({ findings }) => !findings.some(({ kind }) => kind === 'invalid-utf8'))
  if (isText) return { kind: 'text', before: first.text, after: second.text }
  return { kind: 'bytes', isSame: areBytesEqual(new Uint8Array(before), new Uint8Array(after)) }
}

function parseExactValue({ value, text, findings }: ReturnType<typeof inspectJson>): unknown {
  if (!findings.some(({ kind }) => kind === 'unsafe-number')) return value
  try {
    return parse(text, undefined, parseNumberAndBigInt)
  } catch {
    // `parse` rejects repeated names, of which `JSON.parse` keeps the last one.
    return value
  }
}

const areBytesEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index])
