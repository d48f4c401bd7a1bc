import { toFields, toBoolean, parseHostNumber, toText } from '../../../shared/cards.ts'
import { isObject } from '../../../shared/json/object.ts'

export interface HashtagNode {
  /** Full path without the leading `#`: `practice/error/careless`. */
  readonly path: string
  /** Path of the parent tag; empty at the top. */
  readonly parentPath: string
  readonly name: string
  /** Number of cards with exactly this path; null if the host does not send it. */
  readonly directCount: number | null
  /** Number of cards with this tag or a tag below. */
  readonly totalCount: number | null
  /** True if no card has the tag, which only connects its children with the top of the tree. */
  readonly isDerived: boolean
  /** Ids of the cards with exactly this tag; null if the response does not contain them. */
  readonly noteIds: readonly string[] | null
}

/**
 * Deeper levels become part of one name, because a path of thousands of levels would create
 * thousands of tags.
 */
const MAX_LEVELS = 64

/**
 * Reads the tags of `GET /study-sets/{id}/hashtags` (observed-0.49) from the flat `nodes`,
 * otherwise from the nested `tree`, otherwise from `hashtags`. Duplicates are removed, missing
 * parents are added as derived tags, and every parent comes before its children.
 */
export function parseHashtags(response: unknown): readonly HashtagNode[] {
  const source = isObject(response) ? response : {}
  const tagsByPath = new Map<string, HashtagNode>()
  const addTag = (tag: HashtagNode): void => {
    if (tag.path !== '' && !tagsByPath.has(tag.path)) tagsByPath.set(tag.path, tag)
  }
  for (const node of toArray(source['nodes'])) addTag(toTag(node, ''))
  if (tagsByPath.size === 0) walkTree(toArray(source['tree']), addTag)
  for (const tag of toArray(source['hashtags'])) addTag(typeof tag === 'string' ? createTag(tag) : toTag(tag, ''))
  for (const { parentPath } of [...tagsByPath.values()]) {
    for (
      let ancestorPath = parentPath;
      ancestorPath !== '' && !tagsByPath.has(ancestorPath);
      ancestorPath = createTag(ancestorPath).parentPath
    ) {
      tagsByPath.set(ancestorPath, { ...createTag(ancestorPath), isDerived: true })
    }
  }
  return [...tagsByPath.values()].sort((a, b) => comparePaths(a.path, b.path))
}

/** Whether a response without a tag says that there is none: by an empty list, and no other one. */
export function isTagListEmpty(response: unknown): boolean {
  const source = isObject(response) ? response : {}
  const lists = ['nodes', 'tree', 'hashtags'].map((name) => source[name]).filter((list) => Array.isArray(list))
  return lists.length > 0 && lists.every((list) => list.length === 0)
}

/**
 * Adds the ids of cards from a listing requested with `withNotes` (spec §4), which is a list of
 * tags or an object with the ids by path. Tags that only the listing contains are added.
 */
export function addListedNoteIds(tags: readonly HashtagNode[], listing: unknown): readonly HashtagNode[] {
  const source = isObject(listing) ? listing : {}
  const tagList = ['hashtags', 'tags', 'nodesByTag']
    .map((name) => source[name])
    .find((value) => typeof value === 'object')
  const listedTags = Array.isArray(tagList)
    ? parseHashtags({ nodes: tagList })
    : parseHashtags({ nodes: Object.entries(tagList ?? {}).map(([path, noteIds]) => ({ path, noteIds })) })
  const noteIdsByPath = new Map(listedTags.map(({ path, noteIds }) => [path, noteIds]))
  const knownPaths = new Set(tags.map(({ path }) => path))
  return [
    ...tags.map((tag) => ({ ...tag, noteIds: tag.noteIds ?? noteIdsByPath.get(tag.path) ?? null })),
    ...listedTags.filter(({ path }) => !knownPaths.has(path)),
  ].sort((a, b) => comparePaths(a.path, b.path))
}

function walkTree(tree: readonly unknown[], addTag: (tag: HashtagNode) => void): void {
  const queue = tree.map((node) => ({ node, parent: '' }))
  // The queue grows while the loop runs.
  for (const item of queue) {
    const tag = toTag(item.node, item.parent)
    addTag(tag)
    if (tag.path === '' || !isObject(item.node)) continue
    for (const node of toArray(item.node['children'])) queue.push({ node, parent: tag.path })
  }
}

function toTag(node: unknown, parent: string): HashtagNode {
  if (!isObject(node)) return createTag('')
  const getText = (name: string): string => (typeof node[name] === 'string' ? node[name] : '')
  const getCount = (name: string): number | null => parseHostNumber(node[name])
  const name = getText('name') || getText('title') || getText('tag')
  const path = cleanPath(
    getText('path') || getText('fullPath') || getText('hashtag') || (parent === '' ? name : `${parent}/${name}`),
  )
  const ids = node['noteIds']
  return {
    ...createTag(path),
    directCount: getCount('directCardCount'),
    totalCount: getCount('cardCount'),
    isDerived: toBoolean(node['derived']) === true,
    noteIds: Array.isArray(ids)
      ? ids.flatMap((id: unknown) => toText(id) ?? toText(toFields(id)?.['noteid']) ?? [])
      : null,
  }
}

function createTag(tag: string): HashtagNode {
  const path = cleanPath(tag)
  let end = -1
  for (let level = 1; level < MAX_LEVELS; level += 1) {
    const slashIndex = path.indexOf('/', end + 1)
    if (slashIndex === -1) break
    end = slashIndex
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

const cleanPath = (path: string): string =>
  path
    .replace(/^#/, '')
    .replace(/\/+/g, '/')
    .replace(/^\/|\/$/g, '')

/** Puts parents before their children: `/` sorts before every other character. */
function comparePaths(a: string, b: string): number {
  const left = a.replaceAll('/', '\0')
  const right = b.replaceAll('/', '\0')
  return left < right ? -1 : left > right ? 1 : 0
}

const toArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
