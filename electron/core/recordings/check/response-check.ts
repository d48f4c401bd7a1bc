import { compareJson, type JsonChange } from '../../../../shared/bridge/compare.ts'
import { inspectJson } from '../../../../shared/json/inspection.ts'
import { fitsFoldedPointer } from '../../../../shared/json/pointer.ts'
import type { RedactionPolicy } from '../../../../shared/recordings/recording.ts'
import { foldRedactedPlaces } from '../../redaction/redacted-places.ts'
import { getBodyRule } from '../../redaction/value-rules.ts'
import type {
  CheckDifference,
  CheckDifferenceKind,
  CheckDifferences,
} from '../../../../shared/recordings/check/check-difference.ts'

/** Differences that remain where only the shape is checked. */
export const shapeDifferenceKinds: ReadonlySet<CheckDifferenceKind> = new Set<CheckDifferenceKind>([
  'status',
  'media-type',
  'type',
  'missing',
  'extra',
])

interface ResponseHead {
  /** A text says why there is no response. */
  readonly status: number | string | null
  /** The declared media type without parameters; empty if none was declared. */
  readonly mediaType: string
}

export interface CheckedResponse extends ResponseHead {
  readonly status: number | null
  /** All bytes of the body. */
  readonly bytes: Uint8Array
}

/** Members that identify a run of the host (spec §1), so that no other run has the same. */
const RUN_POINTERS: readonly string[] = ['/instanceNonce']

export interface CheckedRedaction {
  readonly policy: RedactionPolicy
  readonly endpoint: string | null
}

/**
 * Compares a response with the recorded one.
 * @param volatilePointers places whose content differs from response to response; the step `*`
 *   stands for any entry of a list
 * @param redaction what it may have replaced is not compared
 */
export function checkResponse(
  expected: CheckedResponse,
  actual: CheckedResponse,
  volatilePointers: readonly string[],
  redaction: CheckedRedaction | null = null,
): CheckDifferences {
  const differences = compareHeads(expected, actual, { isRedacted: redaction !== null })
  const [before, after] = [inspectJson(expected.bytes), inspectJson(actual.bytes)]
  if (!before.isValid || !after.isValid) {
    // Text and pictures are no JSON: a redaction replaces them as a whole.
    if (redaction !== null && before.isValid === after.isValid) return { differences, total: differences.length }
    if (!haveEqualBytes(expected.bytes, actual.bytes)) {
      const [recorded, now] = [expected.bytes, actual.bytes].map((bytes) => JSON.stringify(describeBytes(bytes)))
      differences.push({ kind: 'bytes', pointer: '', expected: recorded ?? null, actual: now ?? null })
    }
    return { differences, total: differences.length }
  }
  const fold = (value: unknown): unknown =>
    redaction === null
      ? value
      : foldRedactedPlaces(value, getBodyRule(redaction.endpoint, 'response'), redaction.policy)
  const { changes, total } = compareJson(fold(before.value), fold(after.value))
  const stableChanges = changes.filter(
    ({ pointerBefore, pointerAfter }) => !isVolatilePlace(pointerBefore ?? pointerAfter ?? '', volatilePointers),
  )
  // Changes beyond those that are listed are counted, because none of them is known to be volatile.
  const unlisted = total - changes.length
  return {
    differences: [...differences, ...stableChanges.map(toDifference)],
    total: differences.length + stableChanges.length + unlisted,
  }
}

export function compareHeads(
  expected: ResponseHead,
  actual: ResponseHead,
  { isRedacted }: { readonly isRedacted: boolean },
): CheckDifference[] {
  const differences: CheckDifference[] = []
  const compare = (kind: CheckDifferenceKind, before: unknown, after: unknown): void => {
    if (before !== after)
      differences.push({ kind, pointer: '', expected: JSON.stringify(before), actual: JSON.stringify(after) })
  }
  compare('status', expected.status, actual.status)
  // A picture that a redaction replaced is a PNG, whatever it was.
  const arePicturesReplaced = isRedacted && [expected, actual].every(({ mediaType }) => /^image\//.test(mediaType))
  if (!arePicturesReplaced) compare('media-type', expected.mediaType, actual.mediaType)
  return differences
}

/** The value differs from run to run or from response to response. */
export function isVolatilePlace(pointer: string, volatilePointers: readonly string[]): boolean {
  return [...RUN_POINTERS, ...volatilePointers].some((folded) => isAtOrBelow(pointer, folded))
}

/** Equally long bodies that differ only further on have the same description. */
const describeBytes = (bytes: Uint8Array): string =>
  `${bytes.byteLength} bytes: ${new TextDecoder().decode(bytes.subarray(0, 40)).replace(/\p{C}/gu, '·')}`

export function haveEqualBytes(bytes: Uint8Array, other: Uint8Array): boolean {
  return bytes.byteLength === other.byteLength && bytes.every((byte, index) => byte === other[index])
}

function isAtOrBelow(pointer: string, folded: string): boolean {
  const depth = folded.split('/').length
  const steps = pointer.split('/')
  return steps.length >= depth && fitsFoldedPointer(steps.slice(0, depth).join('/'), folded)
}

export function toDifference({
  kind,
  pointerBefore,
  pointerAfter,
  textBefore,
  textAfter,
}: JsonChange): CheckDifference {
  const pointer = pointerBefore ?? pointerAfter ?? ''
  return { kind: toKind(kind, pointer, textBefore, textAfter), pointer, expected: textBefore, actual: textAfter }
}

const isListEntry = (pointer: string): boolean => /\/\d+$/.test(pointer)

function toKind(
  kind: JsonChange['kind'],
  pointer: string,
  textBefore: string | null,
  textAfter: string | null,
): CheckDifferenceKind {
  if (kind === 'moved') return 'order'
  if (kind === 'changed') return getJsonType(textBefore) === getJsonType(textAfter) ? 'value' : 'type'
  if (isListEntry(pointer)) return 'value'
  return kind === 'added' ? 'extra' : 'missing'
}

function getJsonType(text: string | null): string {
  const first = text?.[0] ?? ''
  return { '"': 'string', '{': 'object', '[': 'array', t: 'boolean', f: 'boolean', n: 'null' }[first] ?? 'number'
}

/** Larger bodies are not compared with each other to learn what is volatile. */
export const MAX_LEARNED_BYTES = 4_194_304
const MAX_VOLATILE_POINTERS = 500

/** Finds places that differ between responses to one request. An index in them is `*`. */
export function learnVolatilePointers(bodies: readonly Uint8Array[]): string[] {
  const pointers = new Set<string>()
  const values = bodies.map((bytes) => inspectJson(bytes)).filter(({ isValid }) => isValid)
  for (const [index, { value }] of values.entries()) {
    const earlier = values[index - 1]
    if (!earlier) continue
    for (const { pointerBefore, pointerAfter } of compareJson(earlier.value, value).changes)
      if (pointers.size < MAX_VOLATILE_POINTERS) pointers.add(foldPointer(pointerBefore ?? pointerAfter ?? ''))
  }
  return [...pointers].sort()
}

const foldPointer = (pointer: string): string => pointer.replace(/\/\d+(?=\/|$)/g, '/*')
