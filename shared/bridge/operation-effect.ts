import { isObject, member } from './operation-facts.ts'

/** What was sent, what was answered, and what was read of the thing afterwards. */
export interface Seen {
  /** The body as it was sent, parsed; null where it had none. */
  readonly body: unknown
  readonly answer: unknown
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>>
}

/** Whether what was read back is what the command asks for; null where the two cannot be compared. */
type Effect = (seen: Seen) => boolean | null

const equal = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)
const texts = (value: unknown): string[] | null =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : null

/** Every member that was sent is what is there now; null where nothing of it can be seen. */
function holds(sent: unknown, there: unknown, names: readonly string[]): boolean | null {
  const named = names.filter((name) => member(sent, name) !== undefined)
  if (named.length === 0 || !isObject(there)) return null
  return named.every((name) => equal(member(there, name), member(sent, name)))
}

const effects: Readonly<Record<string, Effect>> = {
  'notes.title': ({ body, after }) => holds(body, after, ['title']),
  'notes.metadata': ({ body, after }) => holds(body, member(after, 'metadata'), ['colorIndex', 'fillIndex']),
  'notes.text'({ body, after }) {
    const there = member(after, 'texts')
    const wanted = member(body, 'text')
    return Array.isArray(there) ? there.some((one) => equal(member(one, 'text'), wanted)) : null
  },
  'notes.hashtags'({ body, after }) {
    const there = texts(member(after, 'hashtags'))
    if (there === null) return null
    const bare = (tag: string): string => tag.replace(/^#/, '')
    const now = new Set(there.map(bare))
    const add = texts(member(body, 'add')) ?? []
    const remove = texts(member(body, 'remove')) ?? []
    return add.every((tag) => now.has(bare(tag))) && remove.every((tag) => !now.has(bare(tag)) || add.includes(tag))
  },
  'notes.practiceVerdict'({ answer, after }) {
    const revision = member(answer, 'commentsRevision')
    const there = member(after, 'commentsRevision')
    if (revision === undefined || there === undefined) return null
    // A later revision holds this one.
    if (String(revision) === String(there)) return true
    return Number(there) > Number(revision) ? null : false
  },
  'notes.blankBands'({ before, answer, after }) {
    const now = member(after, 'bands')
    if (!Array.isArray(now)) return null
    const seq = member(member(answer, 'band'), 'seq')
    if (seq !== undefined) return now.some((band) => equal(member(band, 'seq'), seq))
    const then = member(before, 'bands')
    return now.length > (Array.isArray(then) ? then.length : 0)
  },
  'notes.delete': ({ after }) => (after['exists'] === undefined ? null : after['exists'] === false),
  'studySets.delete': ({ after }) => (after['exists'] === undefined ? null : after['exists'] === false),
}

/** Whether an independent read shows what the command asked for (spec §1: `persisted` is the host's word alone); null = cannot be told. */
export function effectOf(endpointId: string, seen: Seen): boolean | null {
  return Object.hasOwn(effects, endpointId) ? (effects[endpointId]?.(seen) ?? null) : null
}
