import { trimChars } from '../../../shared/format/trim-chars.ts'
import { toNonEmptyText, isObject } from '../../../shared/json/object.ts'

export interface Folder {
  /** Folder names from the document root on, separated by slashes; empty for the root. */
  readonly path: string
  readonly name: string
  /** Null if the host does not count the documents. */
  readonly documentCount: number | null
  /** True if the response lists the contents of the folder, even if the folder is empty. */
  readonly hasListedContents: boolean
}

export interface FolderDocument {
  readonly bookmd5: string | null
  /** Undefined if no title was found. */
  readonly title: string | undefined
}

export interface FolderListing {
  readonly folders: readonly Folder[]
  /** Documents of the requested folder; null if the response lists folders only. */
  readonly documents: readonly FolderDocument[] | null
  /** True if there were more folders than `MAX_FOLDERS`. */
  readonly isTruncated: boolean
  /** True if the response has entries that are not read, or none of the lists that are. */
  readonly isShapeUnknown: boolean
}

export const MAX_FOLDERS = 5_000

const folderListNames = ['folders', 'subfolders', 'children', 'items', 'directories', 'tree']
const documentListNames = ['documents', 'files', 'books']

const findList = (value: unknown, names: readonly string[]): readonly unknown[] | null => {
  if (!isObject(value)) return null
  for (const name of names) {
    const member = value[name]
    if (Array.isArray(member)) return member as readonly unknown[]
  }
  return null
}

/**
 * Reads the folders from a response of `GET /library/folders`. The contract does not show the shape
 * (observed-0.49 §2). Accepted are a list under one of several names or as the whole response;
 * entries that are texts (names or paths) or objects with `path`, `name` or `title`; nested and
 * flat lists. Folders that appear only in the path of a subfolder are added. The host's order is
 * kept.
 * @param path the requested folder
 */
export function parseFolders(response: unknown, path = ''): FolderListing {
  const folders = new Map<string, Folder>()
  const queue: { list: readonly unknown[]; parentPath: string }[] = []
  const topList = Array.isArray(response) ? (response as readonly unknown[]) : findList(response, folderListNames)
  if (topList) queue.push({ list: topList, parentPath: path })
  let isTruncated = false
  let isAnyRead = topList?.length === 0
  for (let item = queue.shift(); item; item = queue.shift()) {
    for (const entry of item.list) {
      const folderPath = toPath(entry, item.parentPath)
      isAnyRead ||= folderPath !== null
      if (folderPath === null || folderPath === path) continue
      if (folders.size >= MAX_FOLDERS) {
        isTruncated = true
        break
      }
      const innerList = findList(entry, folderListNames)
      addParents(folders, folderPath, path)
      folders.set(folderPath, {
        path: folderPath,
        name: toName(entry, folderPath),
        documentCount: toDocumentCount(entry),
        hasListedContents: innerList !== null,
      })
      if (innerList) queue.push({ list: innerList, parentPath: folderPath })
    }
  }
  const documents = findList(response, documentListNames)
  return {
    folders: [...folders.values()],
    documents: documents && documents.slice(0, MAX_FOLDERS).map(toDocument),
    isTruncated,
    isShapeUnknown: topList === null ? documents === null : !isAnyRead,
  }
}

function toPath(entry: unknown, parentPath: string): string | null {
  const name =
    typeof entry === 'string'
      ? toNonEmptyText(entry)
      : isObject(entry)
        ? toNonEmptyText(entry['name'] ?? entry['title'])
        : null
  const sentPath = isObject(entry) ? toNonEmptyText(entry['path'] ?? entry['fullPath']) : null
  const path =
    sentPath ?? (name === null ? null : name.includes('/') || parentPath === '' ? name : `${parentPath}/${name}`)
  return path === null ? null : trimChars(path, '/') || null
}

function toName(entry: unknown, path: string): string {
  const sentName = isObject(entry) ? toNonEmptyText(entry['name'] ?? entry['title']) : null
  return sentName ?? path.slice(path.lastIndexOf('/') + 1)
}

function toDocumentCount(entry: unknown): number | null {
  if (!isObject(entry)) return null
  const countSource = entry['documentCount'] ?? entry['count'] ?? entry['documents']
  const count = Array.isArray(countSource)
    ? countSource.length
    : typeof countSource === 'string'
      ? Number(countSource)
      : countSource
  return typeof count === 'number' && Number.isFinite(count) ? count : null
}

/** Adds parent folders that are not listed, because the tree needs them. */
function addParents(folders: Map<string, Folder>, path: string, root: string): void {
  for (
    let slashIndex = path.lastIndexOf('/');
    slashIndex > root.length;
    slashIndex = path.lastIndexOf('/', slashIndex - 1)
  ) {
    const parent = path.slice(0, slashIndex)
    if (folders.has(parent)) return
    folders.set(parent, {
      path: parent,
      name: parent.slice(parent.lastIndexOf('/') + 1),
      documentCount: null,
      hasListedContents: true,
    })
  }
}

function toDocument(entry: unknown): FolderDocument {
  const title = isObject(entry) ? (entry['title'] ?? entry['name'] ?? entry['filename']) : entry
  return {
    bookmd5: isObject(entry) ? toNonEmptyText(entry['bookmd5'] ?? entry['id']) : null,
    title: typeof title === 'string' ? title : undefined,
  }
}
