import { isObject } from '../../../../shared/json/object.ts'

/** Maximum characters of a body that a record keeps. */
const MAX_BODY_CHARS = 200_000
/** Characters kept of a longer one. */
const MAX_EXCERPT_CHARS = 20_000
/** Maximum characters of one member of a longer one. */
const MAX_MEMBER_CHARS = 2_000

/** Members by which an answer is judged: these are kept first, whatever else it holds. */
const judged = [
  ...['error', 'requestId', 'settled', 'outcome', 'persisted', 'persistedSnapshotVerified', 'snapshotCurrent'],
  ...['windowId', 'attemptId', 'commentsRevision', 'hashtags', 'band', 'target', 'index', 'state'],
]

/**
 * A body as a record keeps it: whole if possible; of a longer object the members that it is judged by and its small ones; of anything
 * else the beginning of its JSON text. `cut` means that something is missing.
 */
export function truncateBody(body: unknown): { readonly body: unknown; readonly cut: boolean } {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  if (text === undefined || text.length <= MAX_BODY_CHARS) return { body: body ?? null, cut: false }
  if (!isObject(body)) return { body: text.slice(0, MAX_EXCERPT_CHARS), cut: true }
  const first = judged.flatMap((name) => (Object.hasOwn(body, name) ? [[name, shortened(body[name])] as const] : []))
  const rest = Object.entries(body).filter(([name]) => !judged.includes(name))
  return { body: Object.fromEntries([...first, ...fitting(rest)]), cut: true }
}

/** A judged member: of an object its small members, of any other long value the beginning. */
function shortened(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null'
  if (text.length <= MAX_MEMBER_CHARS) return value
  if (isObject(value)) return Object.fromEntries(fitting(Object.entries(value)))
  return (typeof value === 'string' ? value : text).slice(0, MAX_MEMBER_CHARS)
}

/** The members of at most a few lines, as many as fit; of long texts the beginning. */
function fitting(members: readonly (readonly [string, unknown])[]): readonly (readonly [string, unknown])[] {
  let left = MAX_EXCERPT_CHARS
  return members.flatMap(([name, value]) => {
    const short = typeof value === 'string' ? value.slice(0, MAX_MEMBER_CHARS) : value
    const length = (JSON.stringify(short) ?? 'null').length + name.length
    if (length > Math.min(left, MAX_MEMBER_CHARS * 7) || (typeof value !== 'string' && length > MAX_MEMBER_CHARS))
      return []
    left -= length
    return [[name, short] as const]
  })
}
