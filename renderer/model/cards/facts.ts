import { sentTime } from '../../../shared/bridge/sent-time.ts'
import { asFields, listOf, numberOf, textOf, type Fields } from '../../../shared/cards.ts'

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
export function factsOf(item: Fields): CardFacts {
  const metadata = asFields(item['metadata']) ?? {}
  return {
    title: textOf(item['title']),
    topicid: textOf(item['topicid']),
    colorIndex: numberOf(metadata['colorIndex']),
    fillIndex: numberOf(metadata['fillIndex']),
    bookmd5: textOf(item['docBookmd5']),
    page: numberOf(item['docPage']),
  }
}

/** Members of an item that are always shown in their own place; all others are listed as fields. */
export const shownMembers: readonly string[] = [
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
export function tagsOf(item: Fields): TagPath[] {
  const paths = listOf(item['hashtagPaths'])
    .map(stepsOf)
    .filter((steps) => steps.length > 0)
  const byTag = new Map(paths.toReversed().map((steps) => [steps.join('/'), steps]))
  const found = listOf(item['hashtags']).map((entry): TagPath => {
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
  const fields = asFields(entry)
  const named = fields && tagNames.map((name) => textOf(fields[name])).find((text) => text !== null && text !== '')
  return textOf(entry) ?? named ?? JSON.stringify(entry)
}

const tagNames = ['hashtag', 'path', 'fullPath', 'tag', 'name', 'title']

/** A path as a text, a list of steps, or an object that holds either (observed-0.49 `hashtagPaths`). */
function stepsOf(path: unknown): readonly string[] {
  const fields = asFields(path)
  if (fields) {
    const { segments, name, ancestors } = fields
    if (Array.isArray(segments) && segments.length > 0) return stepsOf(segments)
    const alone = !['hashtag', 'path', 'fullPath'].some((one) => textOf(fields[one]))
    const above = alone ? listOf(ancestors).map(tagIn).at(-1) : undefined
    return above !== undefined && textOf(name) ? [...stepsOf(above), String(name)] : stepsOf(tagIn(path))
  }
  if (Array.isArray(path)) return path.map((step) => textOf(step) ?? JSON.stringify(step))
  return bare(textOf(path) ?? JSON.stringify(path))
    .split('/')
    .filter((step) => step !== '')
}

/** A recorded practice verdict (spec §2 `practice`); whatever the host left out is null. */
export interface PracticeEntry {
  /** As sent: no document shows its unit. */
  readonly at: unknown
  readonly self: string | null
  readonly reason: string | null
  readonly reasonLabel: string | null
  readonly addon: string | null
  readonly topic: string | null
  readonly card: string | null
  /** The card as it was read does not have it; the host's answer to the verdict has. */
  readonly isAnswer: boolean
}

/**
 * The practice history of an item, newest first. The contract shows one verdict; a host may send a list or a single object.
 * `answers` are what the host answered to verdicts: it may not send them with the card, or not yet.
 */
export function practiceOf(item: Fields, answers: readonly unknown[] = []): PracticeEntry[] {
  const own = entriesOf(item['practice'])
  const key = (fields: Fields): string => JSON.stringify([sentTime(fields['at']).at, fields['self'], fields['reason']])
  const known = new Set(own.map(key))
  const answered = answers
    .flatMap((body) => entriesOf(asFields(body)?.['practice']))
    .filter((one) => !known.has(key(one)))
  return [
    ...own.map((fields) => ({ fields, isAnswer: false })),
    ...answered.map((fields) => ({ fields, isAnswer: true })),
  ]
    .map((entry) => ({ time: sentTime(entry.fields['at']).at ?? 0, ...entry }))
    .sort((a, b) => b.time - a.time)
    .map(({ fields, isAnswer }) => ({
      isAnswer,
      at: fields['at'],
      self: textOf(fields['self']),
      reason: textOf(fields['reason']),
      reasonLabel: textOf(fields['reasonLabel']),
      addon: textOf(fields['addon']),
      topic: textOf(fields['topic']),
      card: textOf(fields['card']),
    }))
}

function entriesOf(sent: unknown): Fields[] {
  const entries = Array.isArray(sent) ? listOf(sent) : sent === undefined || sent === null ? [] : [sent]
  return entries.map((entry) => asFields(entry) ?? {})
}
