import { isObject } from '../json/object.ts'

/** Changes of a card between two snapshots. */
export const changeKinds = [
  'added',
  'removed',
  'moved',
  'renamed',
  'recoloured',
  'folded',
  'subMap',
  'text',
  'tags',
  'parts',
  'excerpts',
  'bands',
  'practice',
  /** A member of the listing that the contract does not explain. */
  'other',
] as const
export type ChangeKind = (typeof changeKinds)[number]

/** Members of a listed card and of one read alone: `parent` in spec §2, others observed-0.49. */
const kindOfMember = new Map<string, ChangeKind>([
  ['title', 'renamed'],
  ['colorIndex', 'recoloured'],
  ['fillIndex', 'recoloured'],
  ['folded', 'folded'],
  ['subMapId', 'subMap'],
  ['texts', 'text'],
  ['text', 'text'],
  ['comments', 'text'],
  ['hashtags', 'tags'],
  ['hashtagPaths', 'tags'],
  ['tags', 'tags'],
  ['parts', 'parts'],
  ['excerpts', 'excerpts'],
  ['bands', 'bands'],
  ['practice', 'practice'],
])

export function getMemberKind(name: string): ChangeKind {
  return kindOfMember.get(name) ?? 'other'
}

/**
 * A host leaves these out where they have no value, so that their absence from a whole listing says
 * something. Other members may be missing only because this host, or this request, does not list
 * them.
 */
export const alwaysListedMembers: ReadonlySet<string> = new Set([
  'title',
  'colorIndex',
  'fillIndex',
  'folded',
  'subMapId',
])

const idMembers = ['noteid', 'noteId', 'id'] as const
/** The member of a content that holds what reading the card by itself returned. */
export const DETAILS_MEMBER = '@details'
/** The member of a content that holds the excerpts of documents that belong to the card. */
export const EXCERPTS_MEMBER = '@excerpts'
/** Members that follow from the tree, or are sent only with `sort=document`. */
const derivedMembers: ReadonlySet<string> = new Set([
  ...idMembers,
  'parent',
  'depth',
  'childCount',
  'docPage',
  'docBookmd5',
  DETAILS_MEMBER,
  EXCERPTS_MEMBER,
])

export interface ListedCard {
  readonly noteid: string
  /** Empty for a root. */
  readonly parentId: string
  /** Canonical JSON: the members in order, without those that have no value, as `false` or `[]`. */
  readonly content: string
}

/** Turns entries of card listings into contents that are equal where the cards are. */
export class ListedCardParser {
  /** Names of all members that were seen, also without a value. */
  readonly members = new Set<string>()
  readonly #namesByKeys = new Map<string, readonly string[]>()

  /** @returns null for an entry that names no card */
  parse(node: unknown): ListedCard | null {
    if (!isObject(node)) return null
    const noteid = getCardId(node)
    if (noteid === '') return null
    return { noteid, parentId: toId(node['parent']), content: this.#toContent(node) }
  }

  #toContent(node: Record<string, unknown>): string {
    let content = ''
    for (const name of this.#listNames(node)) {
      const value = node[name]
      if (isEmpty(value)) continue
      content += `${content === '' ? '{' : ','}${JSON.stringify(name)}:${toCanonicalText(value)}`
    }
    return content === '' ? '{}' : `${content}}`
  }

  /** Nearly all cards of a listing have the same members, so their order is computed once. */
  #listNames(node: Record<string, unknown>): readonly string[] {
    const keys = Object.keys(node)
    const key = keys.join('\n')
    const cachedNames = this.#namesByKeys.get(key)
    if (cachedNames) return cachedNames
    const names = keys.filter((name) => !derivedMembers.has(name)).sort()
    for (const name of names) this.members.add(name)
    if (this.#namesByKeys.size < MAX_KEY_LISTS) this.#namesByKeys.set(key, names)
    return names
  }
}

const MAX_KEY_LISTS = 1_000
/** Deeper values are left out: no card of a host is so deep, and serializing them would fail. */
const MAX_VALUE_DEPTH = 100

/** JSON with the members of inner objects in order: a host may write them in any. */
export function toCanonicalText(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (depth > MAX_VALUE_DEPTH) return 'null'
  if (Array.isArray(value)) return `[${value.map((item: unknown) => toCanonicalText(item, depth + 1)).join(',')}]`
  const entries = Object.entries(value).sort(([first], [second]) => (first < second ? -1 : 1))
  return `{${entries.map(([name, item]) => `${JSON.stringify(name)}:${toCanonicalText(item, depth + 1)}`).join(',')}}`
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0)

export function getCardId(node: Record<string, unknown>): string {
  return idMembers.map((name) => toId(node[name])).find((id) => id !== '') ?? ''
}

/**
 * Takes what an item of `POST /notes/batch-get` tells about a card beyond the listing: texts,
 * parts, tags, bands, practice, revisions, and the colors of its metadata (observed-0.49).
 */
export function toCardDetails(item: Record<string, unknown>): Record<string, unknown> {
  const { metadata, ...members } = item
  const { colorIndex, fillIndex, ...otherMetadata } = isObject(metadata) ? metadata : {}
  const details = {
    ...members,
    colorIndex: colorIndex ?? members['colorIndex'],
    fillIndex: fillIndex ?? members['fillIndex'],
    ...(Object.keys(otherMetadata).length > 0 ? { metadata: otherMetadata } : {}),
  }
  const entries = Object.entries(details).filter(([name, value]) => !isEmpty(value) && !listedElsewhere.has(name))
  return Object.fromEntries(entries.sort(([first], [second]) => (first < second ? -1 : 1)))
}

/** Members of a card that was read by itself that the listing has as well, or that name its set. */
const listedElsewhere: ReadonlySet<string> = new Set([...derivedMembers, 'title', 'topicid', 'bookmd5'])

/** Adds what was read beyond the listing, in the order of these constants. */
export function appendMember(
  content: string,
  name: typeof DETAILS_MEMBER | typeof EXCERPTS_MEMBER,
  value: unknown,
): string {
  return `${content === '{}' ? '{' : `${content.slice(0, -1)},`}${JSON.stringify(name)}:${toCanonicalText(value)}}`
}

/** The titles of listings are cut (observed-0.49 §5). */
const LISTED_TITLE_CHARS = 64

/** @param listed the title in a listing, which may be the beginning of the title */
export function isListedTitle(listed: unknown, title: string): boolean {
  if (typeof listed !== 'string') return false
  // Nothing says that a host keeps how characters were composed, and a cut may leave out an accent.
  const [listedForm, form] = [listed.normalize('NFD'), title.normalize('NFD')]
  return listedForm === form || (listed.length >= LISTED_TITLE_CHARS && form.startsWith(listedForm))
}

const toId = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

export function parseContent(content: string): Record<string, unknown> {
  try {
    const value = JSON.parse(content) as unknown
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** See spec §2 Practice verdict. */
const REVISION_MEMBER = 'commentsRevision'

/** Members outside `sharedMembers` (null: unknown) count only if their absence says something. */
export function compareContents(before: string, after: string, sharedMembers: ReadonlySet<string> | null) {
  const { [DETAILS_MEMBER]: oldDetails, [EXCERPTS_MEMBER]: oldExcerpts, ...oldListed } = parseContent(before)
  const { [DETAILS_MEMBER]: newDetails, [EXCERPTS_MEMBER]: newExcerpts, ...newListed } = parseContent(after)
  const isListed = (name: string): boolean => alwaysListedMembers.has(name) || (sharedMembers?.has(name) ?? true)
  const differences = new Set(listDifferences(oldListed, newListed).filter(isListed))
  // Details that only one side has are not what happened to the card.
  if (isObject(oldDetails) && isObject(newDetails))
    for (const name of listDifferences(oldDetails, newDetails)) differences.add(name)
  const hasExcerpts = sharedMembers?.has(EXCERPTS_MEMBER) ?? true
  if (hasExcerpts && toCanonicalText(oldExcerpts) !== toCanonicalText(newExcerpts)) differences.add('excerpts')
  // A new revision is no change of its own beside what it is the revision of.
  if (differences.size > 1) differences.delete(REVISION_MEMBER)
  const members = [...differences].sort()
  const kinds = new Set(members.map(getMemberKind))
  return { kinds: changeKinds.filter((kind) => kinds.has(kind)), members }
}

const listDifferences = (first: Record<string, unknown>, second: Record<string, unknown>): string[] =>
  [...new Set([...Object.keys(first), ...Object.keys(second)])].filter(
    (name) => toComparedText(name, first[name]) !== toComparedText(name, second[name]),
  )

/** The same tags in another order are no change. */
const toComparedText = (name: string, value: unknown): string =>
  getMemberKind(name) === 'tags' && Array.isArray(value)
    ? value
        .map((tag) => toCanonicalText(tag))
        .sort()
        .join()
    : toCanonicalText(value)
