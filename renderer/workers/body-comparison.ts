import { parse, parseNumberAndBigInt } from 'lossless-json'
import { isObject } from '../../shared/json/object.ts'
import { getValueAtPointer, toPointerStep } from '../../shared/json/pointer.ts'
import { inspectJson } from '../../shared/json/inspection.ts'
import { decodeBodyText } from '../../shared/traffic/body-text.ts'
import type { StoredBody } from '../../shared/traffic/exchange.ts'
import { compareJson, getTitle, toChangeText, type JsonComparison } from '../../shared/bridge/compare.ts'

export interface CompareRequest {
  readonly before: ArrayBuffer
  readonly after: ArrayBuffer
  /** The facts about both bodies, which say how their texts are encoded; UTF-8 without them. */
  readonly facts?: readonly [before: BodyFacts, after: BodyFacts] | undefined
}
type BodyFacts = Pick<StoredBody, 'mediaType' | 'missing'>

/** `text`: at least one is not JSON, so both are text. `bytes`: one is not even text. */
export type BodyComparison =
  | ({ readonly kind: 'json' } & JsonComparison)
  | { readonly kind: 'text'; readonly before: string; readonly after: string }
  | { readonly kind: 'bytes'; readonly isSame: boolean }

/** Returns true if the comparison found no difference. */
export function areBodiesEqual(comparison: BodyComparison): boolean {
  if (comparison.kind === 'json') return comparison.total === 0
  return comparison.kind === 'bytes' ? comparison.isSame : comparison.before === comparison.after
}

/** The members of a value in the newer body that did not change. */
export interface MembersRequest {
  /** JSON pointer into the newer body. */
  readonly pointer: string
  /** The steps of members that did change, as in a pointer but without the slash. */
  readonly omittedSteps: readonly string[]
}

export interface ValueMember {
  readonly name: string
  readonly title: string
  readonly pointer: string
  /** JSON text, truncated if long; null for a value with members. */
  readonly text: string | null
  readonly memberCount: number
}

/** `left` is the number of further members. */
export interface MemberList {
  readonly members: readonly ValueMember[]
  readonly left: number
}

/** A person does not read more members at once. */
const MAX_MEMBERS = 500

/**
 * Creates a comparison of two bodies: by structure if both are JSON, otherwise as text or bytes.
 * Integers that a double cannot hold are compared exactly. The newer value is retained, so that its
 * equal parts can be listed.
 */
export function createBodyComparer(): {
  compare(request: CompareRequest): BodyComparison
  listMembers(request: MembersRequest): MemberList
} {
  let newer: unknown = undefined
  return {
    compare({ before, after, facts }) {
      const first = inspectJson(new Uint8Array(before))
      const second = inspectJson(new Uint8Array(after))
      if (first.isValid && second.isValid) {
        newer = parseExactValue(second)
        return { kind: 'json', ...compareJson(parseExactValue(first), newer) }
      }
      const [beforeText, afterText] = [before, after].map(
        (bytes, index) =>
          decodeBodyText(new Uint8Array(bytes), facts?.[index] ?? { mediaType: '', missing: null }).text,
      )
      const isSame = areBytesEqual(new Uint8Array(before), new Uint8Array(after))
      const isText = typeof beforeText === 'string' && typeof afterText === 'string'
      // The same text in two encodings is not the same body.
      return isText && (isSame || beforeText !== afterText)
        ? { kind: 'text', before: beforeText, after: afterText }
        : { kind: 'bytes', isSame }
    },
    listMembers: (request) => listMembers(newer, request),
  }
}

export function compareBodies(request: CompareRequest): BodyComparison {
  return createBodyComparer().compare(request)
}

function listMembers(newer: unknown, { pointer, omittedSteps }: MembersRequest): MemberList {
  const container = getValueAtPointer(newer, pointer)
  if (!Array.isArray(container) && !isObject(container)) return { members: [], left: 0 }
  const omitted = new Set(omittedSteps.map((step) => `/${step}`))
  const names = Object.keys(container).filter((name) => !omitted.has(toPointerStep(name)))
  const members = names.slice(0, MAX_MEMBERS).map((name) => {
    const value: unknown = (container as Readonly<Record<string, unknown>>)[name]
    const memberCount = Array.isArray(value) || isObject(value) ? Object.keys(value).length : 0
    const text = memberCount > 0 ? null : toChangeText(value)
    return { name, title: getTitle(value), pointer: pointer + toPointerStep(name), text, memberCount }
  })
  return { members, left: names.length - members.length }
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
