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

/** Deeper levels are part of one name: a path of thousands would create thousands of tags. */
const MAX_LEVELS = 64

/**
 * Reads the tags of `GET /study-sets/{id}/hashtags` (observed-0.49) from the flat `nodes`,
 * otherwise from the nested `tree`, otherwise from `hashtags`, otherwise from whatever holds tags:
 * the contract leaves the shape open. Duplicates are removed, missing parents are added as derived
 * tags, and every parent comes before its children.
 */
export function parseHashtags(response: unknown, isAboutTags = true): readonly HashtagNode[] {
  const source = isObject(response) ? response : {}
  const tagsByPath = new Map<string, HashtagNode>()
  const addTag = (tag: HashtagNode): void => {
    if (tag.path !== '' && !tagsByPath.has(tag.path)) tagsByPath.set(tag.path, tag)
  }
  for (const node of toArray(source['nodes'])) addTag(toTag(node, ''))
  if (tagsByPath.size === 0) walkTree(toArray(source['tree']), addTag)
  for (const tag of toArray(source['hashtags'])) addTag(typeof tag === 'string' ? createTag(tag) : toTag(tag, ''))
  if (tagsByPath.size === 0) for (const tag of findTags(source, isAboutTags)) addTag(tag)
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

/** A response without a tag says so by an empty list, if it has no other one. */
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
  const listedTags = parseHashtags(isObject(listing) ? { ...listing, nodes: [] } : {}, false)
  const noteIdsByPath = new Map(listedTags.map(({ path, noteIds }) => [path, noteIds]))
  const knownPaths = new Set(tags.map(({ path }) => path))
  return [
    ...tags.map((tag) => ({ ...tag, noteIds: tag.noteIds ?? noteIdsByPath.get(tag.path) ?? null })),
    ...listedTags.filter(({ path }) => !knownPaths.has(path)),
  ].sort((a, b) => comparePaths(a.path, b.path))
}

/** Deeper and further members are not searched for tags. */
const MAX_TAG_DEPTH = 4
const MAX_SEARCHED_MEMBERS = 2000

/** A map, a list, or a list of objects. `isAboutTags`: texts may be tags without `#`. */
function findTags(response: Record<string, unknown>, isAboutTags: boolean): readonly HashtagNode[] {
  const queue = [{ value: response, depth: 0, isTagMember: isAboutTags }]
  let searchedMembers = 0
  // The queue grows while the loop runs.
  for (const { value, depth, isTagMember } of queue) {
    const entries = Object.entries(value)
    const isMap = entries.every(([name, member]) => isTagText(name) || (isTagMember && findNoteIds(member) !== null))
    if (entries.length > 0 && isMap && depth > 0)
      return entries.map(([path, member]) => ({ ...createTag(path), noteIds: findNoteIds(member) }))
    for (const [name, member] of entries.slice(0, MAX_SEARCHED_MEMBERS)) {
      searchedMembers += 1
      if (searchedMembers > MAX_SEARCHED_MEMBERS) return []
      const isNamedSo = /tag/i.test(name)
      if (isObject(member)) {
        if (depth < MAX_TAG_DEPTH) queue.push({ value: member, depth: depth + 1, isTagMember: isNamedSo })
      } else if (Array.isArray(member) && member.length > 0) {
        if (member.every((entry) => isTagText(entry))) return member.map((entry) => createTag(String(entry)))
        const tags = member.map((entry) => toTag(entry, ''))
        if ((isAboutTags || isNamedSo) && tags.every(({ path }) => path !== '')) return tags
      }
    }
  }
  return []
}

const isTagText = (value: unknown): boolean => typeof value === 'string' && /^#./.test(value)

/** Lists of steps that a tag may have beside the ids of its cards. */
const stepLists: ReadonlySet<string> = new Set(['segments', 'ancestors', 'steps', 'children', 'path'])

/** The ids of the cards of a tag: its only list of texts. */
function findNoteIds(tag: unknown): readonly string[] | null {
  const lists = Array.isArray(tag)
    ? [tag]
    : Object.entries(isObject(tag) ? tag : {}).flatMap(([name, list]) => (stepLists.has(name) ? [] : [list]))
  const [ids, otherIds] = lists.filter(
    (list) => Array.isArray(list) && list.every((id) => typeof id === 'string' && !isTagText(id)),
  )
  return otherIds === undefined && Array.isArray(ids) ? ids.map(String) : null
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
  const ids = node['noteIds'] ?? findNoteIds(node)
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
