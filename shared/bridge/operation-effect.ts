import { forEndpoint, type ByEndpoint } from './endpoints/index.ts'
import { member } from './operation-facts.ts'
import { isObject } from '../json/object.ts'

type Facts = Readonly<Record<string, unknown>>

/** What was sent, what was answered, and what was read afterwards. */
export interface Seen {
  /** The body as it was sent, parsed; null if there was none. */
  readonly body: unknown
  readonly answer: unknown
  readonly before: Facts | null
  readonly after: Facts
}

/** Whether what was read back is what the command asked for; null if the two cannot be compared. */
type Effect = (seen: Seen) => boolean | null

const equal = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)
const texts = (value: unknown): string[] | null =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : null
/** False if one is false; null if one is unknown, or there is nothing to compare. */
function all(found: readonly (boolean | null)[]): boolean | null {
  if (found.includes(false)) return false
  return found.length === 0 || found.includes(null) ? null : true
}

/** Whether every member that was sent is there now; null if none of it can be seen. */
function holds(sent: unknown, there: unknown, names: readonly string[]): boolean | null {
  const named = names.filter((name) => member(sent, name) !== undefined)
  if (named.length === 0 || !isObject(there)) return null
  return all(named.map((name) => (Object.hasOwn(there, name) ? equal(there[name], member(sent, name)) : null)))
}

/** Checks every card that the body names: with several, each fact is prefixed with its card's id (`read-back.ts`). */
const ofEach =
  (one: (seen: Seen) => boolean | null): Effect =>
  (seen) => {
    const ids = texts(member(seen.body, 'noteIds')) ?? []
    if (ids.length < 2) return one(seen)
    const cut = (facts: Facts, id: string): Facts => {
      const mine = Object.entries(facts).filter(([name]) => name.startsWith(`${id}.`))
      return Object.fromEntries(mine.map(([name, value]) => [name.slice(id.length + 1), value]))
    }
    return all(
      [...new Set(ids)].map((id) =>
        one({ ...seen, after: cut(seen.after, id), before: seen.before && cut(seen.before, id) }),
      ),
    )
  }

/** What was already missing before was deleted by nobody, as far as can be seen. */
const isGone: Effect = ({ before, after }) =>
  typeof after['exists'] !== 'boolean' || before?.['exists'] === false ? null : !after['exists']

const effects: ByEndpoint<Effect> = {
  'notes.title': ({ body, after }) => holds({ title: member(body, 'text') }, after, ['title']),
  'notes.metadata': ofEach(({ body, after }) =>
    holds(member(body, 'patch'), member(after, 'metadata'), ['colorIndex', 'fillIndex']),
  ),
  // The card's own text (observed-0.49: index 0 is the card).
  'notes.text': ({ body, after }) => textIs(after, 0, member(body, 'text')),
  'notes.comments'({ body, answer, before, after }) {
    const at = member(answer, 'index')
    return at === undefined ? isAdded(before, after, member(body, 'text')) : textIs(after, at, member(body, 'text'))
  },
  'notes.fold': ofEach(({ body, after }) => holds(body, after, ['folded'])),
  'notes.hashtags': ofEach(({ body, after }) => {
    const there = texts(member(after, 'hashtags'))
    const sent = texts(member(body, 'hashtags'))
    if (there === null || sent === null) return null
    // A tag keeps its first spelling, whatever is sent later (observed §5).
    const bare = (tag: string): string => tag.replace(/^#/, '').toLowerCase()
    const now = new Set(there.map(bare))
    const wanted = new Set(sent.map(bare))
    const every = (rule: (tag: string) => boolean): boolean => [...wanted].every(rule)
    switch (member(body, 'operation')) {
      case 'add':
        return wanted.size === 0 ? null : every((tag) => now.has(tag))
      case 'replace':
        return every((tag) => now.has(tag)) && now.size === wanted.size
      case 'remove':
        return wanted.size === 0 ? null : every((tag) => !now.has(tag))
      default:
        return null
    }
  }),
  // The revision shows that this very write is there; the tags show what it contains (spec §2 Practice verdict).
  'notes.practiceVerdict'({ answer, after }) {
    const revision = word(member(answer, 'commentsRevision'))
    const there = word(member(after, 'commentsRevision'))
    if (revision === null || there === null) return null
    if (revision !== there) {
      // A later revision includes this one, but only numbers tell which one is later.
      return Number(there) > Number(revision) || !isNumber(revision) || !isNumber(there) ? null : false
    }
    const promised = texts(member(answer, 'hashtags'))
    const tags = texts(member(after, 'hashtags'))
    return promised === null || tags === null ? true : promised.every((tag) => tags.includes(tag))
  },
  'notes.blankBands'({ body, before, answer, after }) {
    const now = member(after, 'bands')
    if (!Array.isArray(now)) return null
    const then = member(before, 'bands')
    const known = Array.isArray(then) ? (then as unknown[]) : []
    const created = member(answer, 'band')
    const name = ['physicalNoteId', 'seq'].find((one) => member(created, one) !== undefined)
    if (name === undefined) {
      const added = now.filter((band) => !known.some((one) => equal(one, band)))
      if (before === null || added.length === 0) return before === null ? null : false
      const wanted = added.map((band: unknown) => holds(body, band, ['role', 'height']))
      // One with what was sent; if nothing was specified, any.
      return wanted.includes(true) || (wanted.includes(null) ? (isBare(body) ? true : null) : false)
    }
    const same = (band: unknown): boolean => equal(member(band, name), member(created, name))
    // A band that was there before is not the requested one.
    if (known.some(same)) return false
    const found: unknown = now.find(same)
    return found !== undefined && holds(body, found, ['role', 'height']) !== false
  },
  'notes.delete': ofEach(isGone),
  'studySets.delete': isGone,
}

/** Neither role nor height was specified. */
const isBare = (body: unknown): boolean => ['role', 'height'].every((name) => member(body, name) === undefined)

function textIs(after: Facts, index: unknown, wanted: unknown): boolean | null {
  const there = member(after, 'texts')
  if (!Array.isArray(there) || wanted === undefined) return null
  const at = (there as unknown[]).find((one) => equal(member(one, 'index'), index))
  return at === undefined ? false : equal(member(at, 'text'), wanted)
}

/** Whether a text now appears more often than before. */
function isAdded(before: Facts | null, after: Facts, wanted: unknown): boolean | null {
  const now = member(after, 'texts')
  const then = member(before, 'texts')
  if (!Array.isArray(now) || !Array.isArray(then) || wanted === undefined) return null
  const count = (list: readonly unknown[]): number => list.filter((one) => equal(member(one, 'text'), wanted)).length
  return count(now) > count(then)
}

/** A revision is a text or a number; nothing can be said about anything else. */
const word = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null
const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text))

/** Whether an independent read shows what the command asked for (spec §1: `persisted` is only the host's word); null if unknown. */
export function effectOf(endpointId: string, seen: Seen): boolean | null {
  return forEndpoint(effects, endpointId)?.(seen) ?? null
}
