// Reads cards whose members may be missing or have another type than the contract says. The store
// `renderer/stores/cards.ts` requests the cards. Read this file first, then card-parts.ts and
// bands.ts.

import { parseHostTime } from '../../../shared/bridge/host-time.ts'
import { toFields, toList, parseHostNumber, toText, type HostFields } from '../../../shared/cards.ts'

/** A member is null if the host did not send it. */
export interface CardFacts {
  readonly title: string | null
  readonly topicid: string | null
  readonly colorIndex: number | null
  readonly fillIndex: number | null
  readonly bookmd5: string | null
  readonly page: number | null
}

/** `topicid`, `docBookmd5` and `docPage` are not promised, but used if a host sends them. */
export function parseCardFacts(item: HostFields): CardFacts {
  const metadata = toFields(item['metadata']) ?? {}
  return {
    title: toText(item['title']),
    topicid: toText(item['topicid']),
    colorIndex: parseHostNumber(metadata['colorIndex']),
    fillIndex: parseHostNumber(metadata['fillIndex']),
    bookmd5: toText(item['docBookmd5']),
    page: parseHostNumber(item['docPage']),
  }
}

/** Members with views of their own; all other members are plain fields. */
export const cardMembersWithOwnView: readonly string[] = [
  'noteid',
  'title',
  'texts',
  'parts',
  'metadata',
  'hashtags',
  'hashtagPaths',
  'bands',
  'practice',
  'topicid',
  'docBookmd5',
  'docPage',
]

/** A member that is missing, or holds no list, does not say that a card has none of its kind. */
export function hasEmptyList(item: HostFields, ...names: readonly string[]): boolean {
  return names.map((name) => item[name]).some((list) => Array.isArray(list) && list.length === 0)
}

/** Call it for a card in which no hashtag was found. */
export function getNoHashtagsKey(item: HostFields): 'card.noHashtags' | 'card.hashtagsNotSent' {
  return hasEmptyList(item, 'hashtags', 'hashtagPaths') ? 'card.noHashtags' : 'card.hashtagsNotSent'
}

export interface TagPath {
  readonly tag: string
  readonly steps: readonly string[]
}

/**
 * Parses hashtags as paths. The host's `hashtagPaths` show where a tag divides; without them it is
 * split at slashes. Tags that are in only one of the two lists are included. Without either, a list
 * of texts that begin with `#` holds the tags (spec §2 shows them so), whatever its name.
 */
export function parseTagPaths(item: HostFields): TagPath[] {
  const paths = toList(item['hashtagPaths'])
    .map(toSteps)
    .filter((steps) => steps.length > 0)
  const byTag = new Map(paths.toReversed().map((steps) => [steps.join('/'), steps]))
  const tagPaths = toList(item['hashtags'] ?? (paths.length === 0 ? findHashtagList(item) : [])).map(
    (entry): TagPath => {
      const tag = toTag(entry)
      return { tag, steps: byTag.get(removeHash(tag)) ?? toSteps(entry) }
    },
  )
  const knownPaths = new Set(tagPaths.map(({ steps }) => steps.join('/')))
  const otherPaths = paths.filter((steps) => !knownPaths.has(steps.join('/')))
  return [...tagPaths, ...otherPaths.map((steps) => ({ tag: `#${steps.join('/')}`, steps }))]
}

const findHashtagList = (item: HostFields): unknown =>
  Object.values(item).find(
    (list) => Array.isArray(list) && list.length > 0 && list.every((tag) => /^#./.test(toText(tag) ?? '')),
  )

const removeHash = (tag: string): string => tag.replace(/^#/, '')

/** Reads a tag, which the host sends as a text or as an object with the text in a member. */
function toTag(entry: unknown): string {
  const fields = toFields(entry)
  const namedTag = fields && tagNames.map((name) => toText(fields[name])).find((text) => text !== null && text !== '')
  return toText(entry) ?? namedTag ?? JSON.stringify(entry)
}

const tagNames = ['hashtag', 'path', 'fullPath', 'tag', 'name', 'title']

/** Reads a text, a list of steps, or an object with either (observed-0.49 `hashtagPaths`). */
function toSteps(path: unknown): readonly string[] {
  const fields = toFields(path)
  if (fields) {
    const { segments, name, ancestors } = fields
    if (Array.isArray(segments) && segments.length > 0) return toSteps(segments)
    const hasOnlyName = !['hashtag', 'path', 'fullPath'].some((member) => toText(fields[member]))
    const parentTag = hasOnlyName ? toList(ancestors).map(toTag).at(-1) : undefined
    return parentTag !== undefined && toText(name) ? [...toSteps(parentTag), String(name)] : toSteps(toTag(path))
  }
  if (Array.isArray(path)) return path.map((step) => toText(step) ?? JSON.stringify(step))
  return removeHash(toText(path) ?? JSON.stringify(path))
    .split('/')
    .filter((step) => step !== '')
}

/** A practice verdict on a card (spec §2 `practice`). Members that the host omitted are null. */
export interface PracticeEntry {
  /** The time as the host sent it; the contract does not name the unit. */
  readonly timestamp: unknown
  readonly self: string | null
  readonly reason: string | null
  readonly reasonLabel: string | null
  readonly addon: string | null
  readonly topic: string | null
  readonly card: string | null
  /** True if the card does not contain the verdict, and only the response that recorded it does. */
  readonly isFromWriteResponse: boolean
}

/**
 * Reads the practice history of an item, newest first. The contract shows a single verdict; a host
 * may send a list or one object.
 * @param responses bodies of the responses to sent verdicts, because the card may not contain these
 *   verdicts
 */
export function parsePracticeEntries(item: HostFields, responses: readonly unknown[] = []): PracticeEntry[] {
  const ownEntries = toEntries(item['practice'])
  const keyOf = (fields: HostFields): string =>
    JSON.stringify([parseHostTime(fields['at']).timestamp, fields['self'], fields['reason']])
  const knownKeys = new Set(ownEntries.map(keyOf))
  const responseEntries = responses
    .flatMap((body) => toEntries(toFields(body)?.['practice']))
    .filter((fields) => !knownKeys.has(keyOf(fields)))
  return [
    ...ownEntries.map((fields) => ({ fields, isFromWriteResponse: false })),
    ...responseEntries.map((fields) => ({ fields, isFromWriteResponse: true })),
  ]
    .map((entry) => ({ time: parseHostTime(entry.fields['at']).timestamp ?? 0, ...entry }))
    .sort((a, b) => b.time - a.time)
    .map(({ fields, isFromWriteResponse }) => ({
      isFromWriteResponse,
      timestamp: fields['at'],
      self: toText(fields['self']),
      reason: toText(fields['reason']),
      reasonLabel: toText(fields['reasonLabel']),
      addon: toText(fields['addon']),
      topic: toText(fields['topic']),
      card: toText(fields['card']),
    }))
}

function toEntries(practice: unknown): HostFields[] {
  const entries = Array.isArray(practice)
    ? toList(practice)
    : practice === undefined || practice === null
      ? []
      : [practice]
  return entries.map((entry) => toFields(entry) ?? {})
}
