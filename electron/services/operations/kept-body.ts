import { isObject, member } from '../../../shared/bridge/operation-facts.ts'

/** Characters of a body that a record keeps. */
const MOST = 200_000
/** Of a longer one, the beginning. */
const BEGINNING = 20_000
/** Characters of one member of a longer one. */
const MOST_MEMBER = 2_000

/**
 * A body as a record keeps it: whole; of a longer object its small members and what its error says, by which it is judged; of anything else the
 * beginning of its JSON text. `cut` = it is not the whole one.
 */
export function keptBody(body: unknown): { readonly body: unknown; readonly cut: boolean } {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  if (text === undefined || text.length <= MOST) return { body: body ?? null, cut: false }
  if (!isObject(body)) return { body: text.slice(0, BEGINNING), cut: true }
  const kept = small(body, BEGINNING)
  const error = member(body, 'error')
  if (isObject(error) && !Object.hasOwn(kept, 'error')) kept['error'] = small(error, BEGINNING)
  return { body: kept, cut: true }
}

/** The members that are no longer than a few lines, as many as fit; of long texts the beginning. */
function small(value: Record<string, unknown>, most: number): Record<string, unknown> {
  const kept: [string, unknown][] = []
  let left = most
  for (const [name, inner] of Object.entries(value)) {
    const text = JSON.stringify(inner) ?? 'null'
    const short = typeof inner === 'string' && text.length > MOST_MEMBER ? inner.slice(0, MOST_MEMBER) : inner
    const length = Math.min(text.length, typeof inner === 'string' ? MOST_MEMBER : text.length) + name.length
    if ((typeof inner !== 'string' && text.length > MOST_MEMBER) || length > left) continue
    left -= length
    kept.push([name, short])
  }
  return Object.fromEntries(kept)
}
