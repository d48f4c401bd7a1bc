import { toNonEmptyText, isObject } from '../../../shared/json/object.ts'

/** A folder of the document library, as far as its host says what it is. */
export interface Folder {
  /** From the document root, levels divided by a slash; empty = the root. */
  readonly path: string
  readonly name: string
  /** Documents in it, where the host counts them. */
  readonly documentCount: number | null
  /** The answer says what is in it, be it nothing. */
  readonly hasListedContents: boolean
}

export interface FolderDocument {
  readonly bookmd5: string | null
  readonly title: string
}

export interface FolderListing {
  readonly folders: readonly Folder[]
  /** Documents of the folder that was asked for; null where the host lists none with its folders. */
  readonly documents: readonly FolderDocument[] | null
  /** There were more than are taken. */
  readonly isTruncated: boolean
}

/** Folders of one answer that are taken at the most. */
export const MAX_FOLDERS = 5_000

const inside = ['folders', 'subfolders', 'children', 'items', 'directories', 'tree']
const files = ['documents', 'files', 'books']

const listIn = (value: unknown, names: readonly string[]): readonly unknown[] | null => {
  if (!isObject(value)) return null
  for (const name of names) {
    const member = value[name]
    if (Array.isArray(member)) return member as readonly unknown[]
  }
  return null
}

/**
 * The folders in an answer of `GET /library/folders`, asked for at `path` (observed-0.49 §2 shows no shape): a list under one of several names,
 * or the answer itself; of texts (names, or paths from the root) or of objects with `path`, `name` or `title`; nested or flat. A folder that is
 * named only as a part of another's path is there as well. The order is that of the answer.
 */
export function parseFolders(answer: unknown, path = ''): FolderListing {
  const found = new Map<string, Folder>()
  const open: { list: readonly unknown[]; at: string }[] = []
  const own = Array.isArray(answer) ? (answer as readonly unknown[]) : listIn(answer, inside)
  if (own) open.push({ list: own, at: path })
  let cut = false
  for (let next = open.shift(); next; next = open.shift()) {
    for (const entry of next.list) {
      const at = pathOf(entry, next.at)
      if (at === null || at === path) continue
      if (found.size >= MAX_FOLDERS) {
        cut = true
        break
      }
      const below = listIn(entry, inside)
      addParents(found, at, path)
      found.set(at, {
        path: at,
        name: nameOf(entry, at),
        documentCount: countOf(entry),
        hasListedContents: below !== null,
      })
      if (below) open.push({ list: below, at })
    }
  }
  const documents = listIn(answer, files)
  return {
    folders: [...found.values()],
    documents: documents && documents.slice(0, MAX_FOLDERS).map(documentOf),
    isTruncated: cut,
  }
}

function pathOf(entry: unknown, at: string): string | null {
  const name =
    typeof entry === 'string'
      ? toNonEmptyText(entry)
      : isObject(entry)
        ? toNonEmptyText(entry['name'] ?? entry['title'])
        : null
  const given = isObject(entry) ? toNonEmptyText(entry['path'] ?? entry['fullPath']) : null
  const path = given ?? (name === null ? null : name.includes('/') || at === '' ? name : `${at}/${name}`)
  return path === null ? null : path.replace(/^\/+|\/+$/g, '') || null
}

function nameOf(entry: unknown, path: string): string {
  const said = isObject(entry) ? toNonEmptyText(entry['name'] ?? entry['title']) : null
  return said ?? path.slice(path.lastIndexOf('/') + 1)
}

function countOf(entry: unknown): number | null {
  if (!isObject(entry)) return null
  const sent = entry['documentCount'] ?? entry['count'] ?? entry['documents']
  const count = Array.isArray(sent) ? sent.length : typeof sent === 'string' ? Number(sent) : sent
  return typeof count === 'number' && Number.isFinite(count) ? count : null
}

/** A parent that no entry names: the tree needs it. */
function addParents(found: Map<string, Folder>, path: string, root: string): void {
  for (let at = path.lastIndexOf('/'); at > root.length; at = path.lastIndexOf('/', at - 1)) {
    const parent = path.slice(0, at)
    if (found.has(parent)) return
    found.set(parent, {
      path: parent,
      name: parent.slice(parent.lastIndexOf('/') + 1),
      documentCount: null,
      hasListedContents: true,
    })
  }
}

function documentOf(entry: unknown): FolderDocument {
  if (!isObject(entry)) return { bookmd5: null, title: toNonEmptyText(entry) ?? '' }
  const title = toNonEmptyText(entry['title'] ?? entry['name'] ?? entry['filename'])
  return { bookmd5: toNonEmptyText(entry['bookmd5'] ?? entry['id']), title: title ?? '' }
}
