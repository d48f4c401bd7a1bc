import { foldText } from '../../../shared/format/text-folding.ts'
import { toBoolean, toFields, toList, toText, type HostFields } from '../../../shared/cards.ts'
import { parseCardFacts, parsePracticeEntries, parseTagPaths } from './card-facts.ts'
import { locatePartContent } from './card-parts.ts'

/** Kinds of parts that a row of the tree shows, in the order of their icons. */
export const partGroups = ['text', 'picture', 'audio', 'video', 'attachment'] as const
export type PartGroup = (typeof partGroups)[number]

export const markFilters = ['picture', 'ink', 'bands', 'hashtag', 'practice'] as const
export type MarkFilter = (typeof markFilters)[number]

/** Members that the host did not send are absent. */
export interface CardMarks {
  readonly colorIndex: number | null
  readonly groups: readonly PartGroup[]
  readonly hasInk: boolean
  readonly hasBands: boolean
  /** Null if parts or texts show that there are bands, but the host sent no list of them. */
  readonly bandCount: number | null
  /** Hashtags with their `#`. Those of the practice come last. */
  readonly tags: readonly string[]
  readonly practice: {
    /** The verdict as the host wrote it, for instance `again`; null if the host sent none. */
    readonly self: string | null
  } | null
  readonly picture: { readonly noteid: string; readonly contentId: string; readonly kind: string } | null
  readonly text: string
  /** Hashtags and `text`, folded for searching, one per line. */
  readonly foldedText: string
}

/** Longer texts are searched only up to here, because the marks of many cards stay in memory. */
const MAX_TEXT_CHARS = 400

const groupByKind = new Map<string, PartGroup>([
  ['text', 'text'],
  ['rich_text', 'text'],
  ['excerpt', 'text'],
  ['excerpt_image', 'picture'],
  ['image', 'picture'],
  ['audio', 'audio'],
  ['video', 'video'],
  ['attachment', 'attachment'],
])
const inkKinds = new Set(['ink', 'blank_image'])
const bandKinds = new Set(['blank', 'blank_image'])

/** Reads the marks of an item of `POST /notes/batch-get`, whatever the types of its members. */
export function parseCardMarks(item: HostFields): CardMarks {
  const parts = toList(item['parts']).map((part) => toFields(part) ?? {})
  const texts = toList(item['texts']).map((text) => toFields(text) ?? { text })
  const partKinds = new Set(parts.map(getKind))
  const textKinds = new Set(texts.map(getKind))
  const groups = new Set([...partKinds].map((kind) => groupByKind.get(kind)))
  const bands = Array.isArray(item['bands']) ? (item['bands'] as readonly unknown[]) : null
  const hasBandTrace = [...partKinds, ...textKinds].some((kind) => bandKinds.has(kind))
  const tags = parseTagPaths(item).map(({ tag }) => (tag.startsWith('#') ? tag : `#${tag}`))
  const text = joinTexts(texts)
  if (text !== '' && text !== toText(item['title'])?.trim()) groups.add('text')
  return {
    colorIndex: parseCardFacts(item).colorIndex,
    groups: partGroups.filter((group) => groups.has(group)),
    hasInk:
      [...partKinds].some((kind) => inkKinds.has(kind)) ||
      (bands ?? []).some((band) => toBoolean(toFields(band)?.['hasInk']) === true),
    hasBands: bands === null ? hasBandTrace : bands.length > 0,
    bandCount: bands?.length ?? null,
    tags: [...tags.filter((tag) => !isPracticeTag(tag)), ...tags.filter(isPracticeTag)],
    practice: parsePractice(item, tags),
    picture: findPicture(item, parts),
    text,
    foldedText: foldText([...tags, text].join('\n')),
  }
}

/** The filters that a card passes, as a bit field in the order of `markFilters`. */
export function computeMarkBits(marks: CardMarks): number {
  const passed: Readonly<Record<MarkFilter, boolean>> = {
    picture: marks.groups.includes('picture'),
    ink: marks.hasInk,
    bands: marks.hasBands,
    hashtag: marks.tags.length > 0,
    practice: marks.practice !== null,
  }
  return toMarkBits(markFilters.filter((filter) => passed[filter]))
}

export function toMarkBits(filters: Iterable<MarkFilter>): number {
  return [...filters].reduce((bits, filter) => bits | (1 << markFilters.indexOf(filter)), 0)
}

const getKind = (fields: HostFields): string => (toText(fields['kind'] ?? fields['type']) ?? '').toLowerCase()

function joinTexts(texts: readonly HostFields[]): string {
  let joined = ''
  for (const { text } of texts) {
    if (joined.length >= MAX_TEXT_CHARS) break
    if (typeof text === 'string' && text.trim() !== '') joined += `${joined === '' ? '' : '\n'}${text.trim()}`
  }
  return joined.slice(0, MAX_TEXT_CHARS)
}

/** The contract names the tags that a verdict sets (spec §2 Practice verdict). */
export function isPracticeTag(tag: string): boolean {
  return /^#?practice\//i.test(tag)
}
const practiceStateTag = /^#?practice\/(?!question$)([^/]+)$/i

/** The newest verdict. Hosts that send no verdicts with a card show them in its tags. */
function parsePractice(item: HostFields, tags: readonly string[]): CardMarks['practice'] {
  const entries = parsePracticeEntries(item).filter(
    ({ self, timestamp }) => self !== null || (timestamp !== undefined && timestamp !== null),
  )
  if (entries[0]) return { self: entries[0].self }
  if (!tags.some(isPracticeTag)) return null
  return { self: tags.map((tag) => practiceStateTag.exec(tag)?.[1]).find((self) => self !== undefined) ?? null }
}

/** Pictures come before handwriting, which is often hard to recognize in a small size. */
function findPicture(item: HostFields, parts: readonly HostFields[]): CardMarks['picture'] {
  const isPicture = (kind: string): boolean => groupByKind.get(kind) === 'picture'
  for (const isWanted of [isPicture, (kind: string) => inkKinds.has(kind)]) {
    for (const part of parts) {
      const kind = getKind(part)
      if (!isWanted(kind)) continue
      const contentPath = toText(part['contentPath'])
      const location = locatePartContent(
        { contentId: toText(part['contentId']), contentPath, kind, mimeType: toText(part['mimeType']) ?? '' },
        toText(item['noteid']) ?? '',
      )
      if (location) return { ...location, kind }
    }
  }
  return null
}
