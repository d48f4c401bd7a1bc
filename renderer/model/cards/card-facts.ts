import { parseHostTime } from '../../../shared/bridge/host-time.ts'
import { toFields, toList, toNumber, toText, type HostFields } from '../../../shared/cards.ts'

/** What is known about where a card is and how it looks. Null if the host does not say. */
export interface CardFacts {
  readonly title: string | null
  readonly topicid: string | null
  readonly colorIndex: number | null
  readonly fillIndex: number | null
  /** The document page that the card was excerpted from. */
  readonly bookmd5: string | null
  readonly page: number | null
}

/** The contract does not promise `topicid`, `docBookmd5` and `docPage` for an item; they are used if a host sends them. */
export function parseCardFacts(item: HostFields): CardFacts {
  const metadata = toFields(item['metadata']) ?? {}
  return {
    title: toText(item['title']),
    topicid: toText(item['topicid']),
    colorIndex: toNumber(metadata['colorIndex']),
    fillIndex: toNumber(metadata['fillIndex']),
    bookmd5: toText(item['docBookmd5']),
    page: toNumber(item['docPage']),
  }
}

/** Members of an item that are always shown in their own place; all others are listed as fields. */
export const dedicatedMembers: readonly string[] = [
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

/** A hashtag as the steps of its path, and as one text. */
export interface TagPath {
  readonly tag: string
  readonly steps: readonly string[]
}

/**
 * Hashtags as paths. The host's own `hashtagPaths` say where a tag divides; without them it is split at slashes. A tag that is in only
 * one of the two lists is shown as well.
 */
export function parseTagPaths(item: HostFields): TagPath[] {
  const paths = toList(item['hashtagPaths'])
    .map(stepsOf)
    .filter((steps) => steps.length > 0)
  const byTag = new Map(paths.toReversed().map((steps) => [steps.join('/'), steps]))
  const found = toList(item['hashtags']).map((entry): TagPath => {
    const tag = tagIn(entry)
    return { tag, steps: byTag.get(bare(tag)) ?? stepsOf(entry) }
  })
  const known = new Set(found.map(({ steps }) => steps.join('/')))
  const more = paths.filter((steps) => !known.has(steps.join('/')))
  return [...found, ...more.map((steps) => ({ tag: `#${steps.join('/')}`, steps }))]
}

const bare = (tag: string): string => tag.replace(/^#/, '')

/** A tag as a text, or the member of an object that is one. */
function tagIn(entry: unknown): string {
  const fields = toFields(entry)
  const named = fields && tagNames.map((name) => toText(fields[name])).find((text) => text !== null && text !== '')
  return toText(entry) ?? named ?? JSON.stringify(entry)
}

const tagNames = ['hashtag', 'path', 'fullPath', 'tag', 'name', 'title']

/** A path as a text, a list of steps, or an object that holds either (observed-0.49 `hashtagPaths`). */
function stepsOf(path: unknown): readonly string[] {
  const fields = toFields(path)
  if (fields) {
    const { segments, name, ancestors } = fields
    if (Array.isArray(segments) && segments.length > 0) return stepsOf(segments)
    const alone = !['hashtag', 'path', 'fullPath'].some((one) => toText(fields[one]))
    const above = alone ? toList(ancestors).map(tagIn).at(-1) : undefined
    return above !== undefined && toText(name) ? [...stepsOf(above), String(name)] : stepsOf(tagIn(path))
  }
  if (Array.isArray(path)) return path.map((step) => toText(step) ?? JSON.stringify(step))
  return bare(toText(path) ?? JSON.stringify(path))
    .split('/')
    .filter((step) => step !== '')
}

/** A recorded practice verdict (spec §2 `practice`); whatever the host left out is null. */
export interface PracticeEntry {
  /** As sent: no document shows its unit. */
  readonly timestamp: unknown
  readonly self: string | null
  readonly reason: string | null
  readonly reasonLabel: string | null
  readonly addon: string | null
  readonly topic: string | null
  readonly card: string | null
  /** The card as it was read does not have it; the host's answer to the verdict has. */
  readonly isFromWriteResponse: boolean
}

/**
 * The practice history of an item, newest first. The contract shows one verdict; a host may send a list or a single object.
 * `answers` are what the host answered to verdicts: it may not send them with the card, or not yet.
 */
export function parsePracticeEntries(item: HostFields, answers: readonly unknown[] = []): PracticeEntry[] {
  const own = entriesOf(item['practice'])
  const key = (fields: HostFields): string =>
    JSON.stringify([parseHostTime(fields['at']).timestamp, fields['self'], fields['reason']])
  const known = new Set(own.map(key))
  const answered = answers
    .flatMap((body) => entriesOf(toFields(body)?.['practice']))
    .filter((one) => !known.has(key(one)))
  return [
    ...own.map((fields) => ({ fields, isFromWriteResponse: false })),
    ...answered.map((fields) => ({ fields, isFromWriteResponse: true })),
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

function entriesOf(sent: unknown): HostFields[] {
  const entries = Array.isArray(sent) ? toList(sent) : sent === undefined || sent === null ? [] : [sent]
  return entries.map((entry) => toFields(entry) ?? {})
}
