import { isObject } from '../../../../shared/json/object.ts'

/** Bodies longer than this are recorded in part. */
const MAX_BODY_CHARS = 200_000
/** Characters that are recorded of a longer body. */
const MAX_EXCERPT_CHARS = 20_000
/** Maximum characters of one member of a longer body. */
const MAX_MEMBER_CHARS = 2_000

/** Recorded first, so that a long body cannot displace what a response is judged by. */
const JUDGED_MEMBERS = [
  'error',
  'requestId',
  'settled',
  'outcome',
  'persisted',
  'persistedSnapshotVerified',
  'snapshotCurrent',
  'windowId',
  'attemptId',
  'commentsRevision',
  'hashtags',
  'band',
  'target',
  'index',
  'state',
]

/**
 * Returns a body in the form in which a record stores it. A short body is stored whole, a longer
 * object with its judged members and its small ones, and any other long value with the beginning of
 * its JSON text. `cut` is true if a part was left out.
 */
export function truncateBody(body: unknown): { readonly body: unknown; readonly cut: boolean } {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  if (text === undefined || text.length <= MAX_BODY_CHARS) return { body: body ?? null, cut: false }
  if (!isObject(body)) return { body: text.slice(0, MAX_EXCERPT_CHARS), cut: true }
  const judgedMembers = JUDGED_MEMBERS.flatMap((name) =>
    Object.hasOwn(body, name) ? [[name, truncateMember(body[name])] as const] : [],
  )
  const otherMembers = Object.entries(body).filter(([name]) => !JUDGED_MEMBERS.includes(name))
  return { body: Object.fromEntries([...judgedMembers, ...selectFittingMembers(otherMembers)]), cut: true }
}

/** Keeps the small members of an object, and the beginning of any other long value. */
function truncateMember(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null'
  if (text.length <= MAX_MEMBER_CHARS) return value
  if (isObject(value)) return Object.fromEntries(selectFittingMembers(Object.entries(value)))
  return (typeof value === 'string' ? value : text).slice(0, MAX_MEMBER_CHARS)
}

/** Selects as many small members as fit. Long texts are cut to their beginning. */
function selectFittingMembers(
  members: readonly (readonly [string, unknown])[],
): readonly (readonly [string, unknown])[] {
  let remainingChars = MAX_EXCERPT_CHARS
  return members.flatMap(([name, value]) => {
    const shortValue = typeof value === 'string' ? value.slice(0, MAX_MEMBER_CHARS) : value
    const length = (JSON.stringify(shortValue) ?? 'null').length + name.length
    if (
      length > Math.min(remainingChars, MAX_MEMBER_CHARS * 7) ||
      (typeof value !== 'string' && length > MAX_MEMBER_CHARS)
    )
      return []
    remainingChars -= length
    return [[name, shortValue] as const]
  })
}
