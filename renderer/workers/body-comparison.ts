import { parse, parseNumberAndBigInt } from 'lossless-json'
import { inspectJson } from '../../shared/json/inspection.ts'
import { compareJson, type JsonComparison } from '../../shared/bridge/compare.ts'

export interface CompareRequest {
  readonly before: ArrayBuffer
  readonly after: ArrayBuffer
}

/** `text`: at least one of the two is not JSON, so both are there as text; `bytes`: or not even that. */
export type BodyComparison =
  | ({ readonly kind: 'json' } & JsonComparison)
  | { readonly kind: 'text'; readonly before: string; readonly after: string }
  | { readonly kind: 'bytes'; readonly isSame: boolean }

export type CompareReply =
  { readonly ok: true; readonly result: BodyComparison } | { readonly ok: false; readonly message: string }

/**
 * What differs between two bodies: by structure where both are JSON, otherwise as text. Whole numbers that a double can't hold are compared
 * exactly.
 */
export function compareBodies({ before, after }: CompareRequest): BodyComparison {
  const first = inspectJson(new Uint8Array(before))
  const second = inspectJson(new Uint8Array(after))
  if (first.isValid && second.isValid) return { kind: 'json', ...compareJson(exact(first), exact(second)) }
  const isText = [first, second].every(({ findings }) => !findings.some(({ kind }) => kind === 'invalid-utf8'))
  if (isText) return { kind: 'text', before: first.text, after: second.text }
  return { kind: 'bytes', isSame: sameBytes(new Uint8Array(before), new Uint8Array(after)) }
}

function exact({ value, text, findings }: ReturnType<typeof inspectJson>): unknown {
  if (!findings.some(({ kind }) => kind === 'unsafe-number')) return value
  try {
    return parse(text, undefined, parseNumberAndBigInt)
  } catch {
    // It refuses repeated names, of which the last one holds everywhere else.
    return value
  }
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, at) => byte === b[at])
