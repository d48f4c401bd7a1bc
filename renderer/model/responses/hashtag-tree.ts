import { toFields, toFlag, toNumber, toText } from '../../../shared/cards.ts'
import { isObject } from '../../../shared/json/object.ts'

/** A tag as a tree shows it. */
export interface HashtagNode {
  /** The full path without a leading `#`: `practice/error/careless`. */
  readonly path: string
  /** Path of the tag above it; empty at the top. */
  readonly parentPath: string
  readonly name: string
  /** Number of cards with exactly this path; null if the host does not say. */
  readonly directCount: number | null
  /** Number of cards with it or anything below it. */
  readonly totalCount: number | null
  /** No card has it: it only connects a tag with the top. */
  readonly isDerived: boolean
  /** Ids of the cards that directly have it; null if they were not requested or not sent. */
  readonly noteIds: readonly string[] | null
}

/** Maximum levels: everything deeper is one name, because a tag of thousands of levels would be thousands of tags. */
const MAX_LEVELS = 64

/**
 * The tags of `GET /study-sets/{id}/hashtags` (observed-0.49), each once and after its parent: from the flat `nodes`, else from the
 * nested `tree`, else from the bare `hashtags`. Parents that the host leaves out are added and marked as derived.
 */
export function parseHashtags(answer: unknown): readonly HashtagNode[] {
  const source = isObject(answer) ? answer : {}
  const found = new Map<string, HashtagNode>()
  const add = (tag: HashtagNode): void => {
    if (tag.path !== '' && !found.has(tag.path)) found.set(tag.path, tag)
  }
  for (const node of arrayOf(source['nodes'])) add(tagOf(node, ''))
  if (found.size === 0) walk(arrayOf(source['tree']), add)
  for (const tag of arrayOf(source['hashtags'])) add(typeof tag === 'string' ? bare(tag) : tagOf(tag, ''))
  for (const { parentPath: parent } of [...found.values()]) {
    for (let above = parent; above !== '' && !found.has(above); above = bare(above).parentPath) {
      found.set(above, { ...bare(above), isDerived: true })
    }
  }
  return [...found.values()].sort((a, b) => compare(a.path, b.path))
}

/**
 * The tags with the ids of their cards from a card listing that was asked for them (spec §4 `withNotes`): a list of tags, or the ids by
 * path. Tags that only the listing names are added.
 */
export function addListedNoteIds(tags: readonly HashtagNode[], listing: unknown): readonly HashtagNode[] {
  const source = isObject(listing) ? listing : {}
  const sent = ['hashtags', 'tags', 'nodesByTag'].map((name) => source[name]).find((value) => typeof value === 'object')
  const listed = Array.isArray(sent)
    ? parseHashtags({ nodes: sent })
    : parseHashtags({ nodes: Object.entries(sent ?? {}).map(([path, noteIds]) => ({ path, noteIds })) })
  const notes = new Map(listed.map(({ path, noteIds }) => [path, noteIds]))
  const known = new Set(tags.map(({ path }) => path))
  return [
    ...tags.map((tag) => ({ ...tag, noteIds: tag.noteIds ?? notes.get(tag.path) ?? null })),
    ...listed.filter(({ path }) => !known.has(path)),
  ].sort((a, b) => compare(a.path, b.path))
}

function walk(tree: readonly unknown[], add: (tag: HashtagNode) => void): void {
  const open = tree.map((node) => ({ node, parent: '' }))
  // Grows while it is walked.
  for (const next of open) {
    const tag = tagOf(next.node, next.parent)
    add(tag)
    if (tag.path === '' || !isObject(next.node)) continue
    for (const node of arrayOf(next.node['children'])) open.push({ node, parent: tag.path })
  }
}

function tagOf(node: unknown, parent: string): HashtagNode {
  if (!isObject(node)) return bare('')
  const text = (name: string): string => (typeof node[name] === 'string' ? node[name] : '')
  const count = (name: string): number | null => toNumber(node[name])
  const name = text('name') || text('title') || text('tag')
  const path = clean(
    text('path') || text('fullPath') || text('hashtag') || (parent === '' ? name : `${parent}/${name}`),
  )
  const ids = node['noteIds']
  return {
    ...bare(path),
    directCount: count('directCardCount'),
    totalCount: count('cardCount'),
    isDerived: toFlag(node['derived']) === true,
    noteIds: Array.isArray(ids)
      ? ids.flatMap((id: unknown) => toText(id) ?? toText(toFields(id)?.['noteid']) ?? [])
      : null,
  }
}

function bare(tag: string): HashtagNode {
  const path = clean(tag)
  let end = -1
  for (let level = 1; level < MAX_LEVELS; level += 1) {
    const next = path.indexOf('/', end + 1)
    if (next === -1) break
    end = next
  }
  const parent = path.slice(0, Math.max(0, end))
  return {
    path,
    parentPath: parent,
    name: path.slice(end + 1),
    directCount: null,
    totalCount: null,
    isDerived: false,
    noteIds: null,
  }
}

const clean = (path: string): string =>
  path
    .replace(/^#/, '')
    .replace(/\/+/g, '/')
    .replace(/^\/|\/$/g, '')

/** Parents before their children: a `/` sorts before every other character. */
function compare(a: string, b: string): number {
  const left = a.replaceAll('/', '\0')
  const right = b.replaceAll('/', '\0')
  return left < right ? -1 : left > right ? 1 : 0
}

const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
