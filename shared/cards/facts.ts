import { asFields, listOf, numberOf, textOf, type Fields } from './tolerant.ts'

/** What is known of where a card is, and how it looks. Null where the host does not say it. */
export interface CardFacts {
  readonly title: string | null
  readonly topicid: string | null
  readonly colorIndex: number | null
  readonly fillIndex: number | null
  /** The document page that it was excerpted from. */
  readonly bookmd5: string | null
  readonly page: number | null
}

/** `topicid`, `docBookmd5` and `docPage` are no promise of the contract for an item; where a host sends them they are used. */
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

/** Members of an item that have a place of their own wherever a card is shown; all others are listed as fields. */
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

/** A hashtag as the steps of its path, with the whole of it as text. */
export interface TagPath {
  readonly tag: string
  readonly steps: readonly string[]
}

/**
 * Hashtags as paths. The host's own `hashtagPaths` say where a tag divides; without them it is divided at slashes. A tag that
 * only one of the two lists holds is shown as well.
 */
export function tagsOf(item: Fields): TagPath[] {
  const paths = listOf(item['hashtagPaths']).map(stepsOf)
  const found = listOf(item['hashtags']).map((entry): TagPath => {
    const tag = textOf(entry) ?? textOf(asFields(entry)?.['path']) ?? JSON.stringify(entry)
    const steps = paths.find((one) => one.join('/') === bare(tag)) ?? stepsOf(tag)
    return { tag, steps }
  })
  const known = new Set(found.map(({ steps }) => steps.join('/')))
  const more = paths.filter((steps) => !known.has(steps.join('/')))
  return [...found, ...more.map((steps) => ({ tag: `#${steps.join('/')}`, steps }))]
}

const bare = (tag: string): string => tag.replace(/^#/, '')

/** A path as a text, a list of its steps, or an object that holds either (observed-0.49 `hashtagPaths`). */
function stepsOf(path: unknown): readonly string[] {
  const fields = asFields(path)
  if (fields) return stepsOf(fields['segments'] ?? fields['path'] ?? fields['hashtag'] ?? JSON.stringify(path))
  if (Array.isArray(path)) return path.map((step) => textOf(step) ?? JSON.stringify(step))
  return bare(textOf(path) ?? JSON.stringify(path))
    .split('/')
    .filter((step) => step !== '')
}

/** A recorded practice verdict (spec §2 `practice`); what the host left out is null. */
export interface PracticeEntry {
  readonly at: number | null
  readonly self: string | null
  readonly reason: string | null
  readonly reasonLabel: string | null
  readonly addon: string | null
  readonly topic: string | null
  readonly card: string | null
}

/** The practice history of an item, the newest first. The contract shows one verdict; a host may send a list or one object. */
export function practiceOf(item: Fields): PracticeEntry[] {
  const sent = item['practice']
  const entries = Array.isArray(sent) ? listOf(sent) : sent === undefined || sent === null ? [] : [sent]
  return entries
    .map((entry): Fields => asFields(entry) ?? {})
    .map((fields) => ({
      at: numberOf(fields['at']),
      self: textOf(fields['self']),
      reason: textOf(fields['reason']),
      reasonLabel: textOf(fields['reasonLabel']),
      addon: textOf(fields['addon']),
      topic: textOf(fields['topic']),
      card: textOf(fields['card']),
    }))
    .sort((a, b) => (b.at ?? 0) - (a.at ?? 0))
}
