import { computed, onScopeDispose, ref, shallowReactive, shallowRef, watch } from 'vue'
import { parseFolders, type Folder, type FolderDocument, type FolderListing } from '../../model/responses/folders.ts'
import type { AppError } from '../../../shared/errors.ts'
import { listSiblings } from '../../model/tree/expansion.ts'
import { Forest } from '../../model/tree/forest.ts'
import { TreeReader } from '../../model/tree/tree-reader.ts'
import { computeVisibleRows } from '../../model/tree/tree-rows.ts'
import { useConnection } from '../../stores/connection.ts'
import { toAppError, isCancellation } from '../../stores/errors.ts'
import {
  createUnknownShapeError,
  readEndpoint,
  toResponseReport,
  useRead,
  type HostResponse,
  type ResponseReport,
} from '../../stores/host-read.ts'

/** Id of the root node. The path of a real folder is never a lone slash. */
const ROOT_ID = '/'

/** After the root was read again, at most this many expanded folders are read again too. */
const MAX_RELOADED_FOLDERS = 20

/** One request for more documents of the whole library reads at most this many folders. */
const MAX_LISTED_FOLDERS = 20

export interface ListedDocument extends FolderDocument {
  /** Path of the folder in which the host listed the document. */
  readonly folder: string
}

export type FolderState =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly listing: FolderListing; readonly reported: ResponseReport }
  | { readonly status: 'failed'; readonly error: AppError }

/**
 * Converts the folders of the library to a forest for the tree component. A folder's contents are
 * read when it is expanded or selected, one level at a time. Until then, a placeholder row below it
 * makes it expandable.
 * @param words returns the texts of the root and of the placeholder rows.
 */
export function useFolderForest(words: () => { readonly root: string; readonly unread: string }) {
  const connection = useConnection()
  const resource = useRead('library.folders', () => (connection.online ? {} : null))
  const foldersByPath = shallowReactive(new Map<string, Folder>())
  const states = shallowReactive(new Map<string, FolderState>())
  const expandedIds = new Set<string>([ROOT_ID])
  const forest = shallowRef(new Forest())
  /** Index of each node by its path. Indexes follow the order in which folders were read. */
  let indexesByPath = new Map<string, number>()
  const version = ref(0)
  const abort = new AbortController()
  onScopeDispose(() => abort.abort())

  watch(
    () => resource.data,
    (response) => {
      const expandedPaths = [...states].filter(
        ([path, { status }]) => path !== '' && status === 'ready' && expandedIds.has(path),
      )
      foldersByPath.clear()
      states.clear()
      if (response) storeListing('', response)
      rebuildForest()
      if (response) void loadFolders(expandedPaths.map(([path]) => path).slice(0, MAX_RELOADED_FOLDERS))
    },
    { immediate: true },
  )
  watch(words, rebuildForest)

  function storeListing(path: string, response: HostResponse<unknown>): void {
    const listing = parseFolders(response.value, path)
    states.set(
      path,
      listing.isShapeUnknown
        ? { status: 'failed', error: createUnknownShapeError(response.meta, response.raw) }
        : { status: 'ready', listing, reported: toResponseReport(response) },
    )
    for (const folder of listing.folders) foldersByPath.set(folder.path, folder)
  }

  /** Does nothing if the contents are known, unless `isReload` is set. */
  async function loadFolder(path: string, isReload = false): Promise<void> {
    const previous = states.get(path)
    if (path === '' || previous?.status === 'loading' || (previous?.status === 'ready' && !isReload)) return
    states.set(path, { status: 'loading' })
    try {
      const response = await readEndpoint('library.folders', { query: { path, depth: 1 } }, { signal: abort.signal })
      storeListing(path, response)
    } catch (error) {
      if (isCancellation(error)) states.delete(path)
      else states.set(path, { status: 'failed', error: toAppError(error) })
    }
    rebuildForest()
  }

  const unreadPaths = computed(() => [...foldersByPath.keys()].filter((path) => states.get(path)?.status !== 'ready'))
  let isListing = false
  /** Reads folders that were not read yet, because the host lists documents only by folder. */
  async function loadMoreFolders(): Promise<void> {
    if (isListing) return
    isListing = true
    const requestedPaths = new Set<string>()
    while (requestedPaths.size < MAX_LISTED_FOLDERS && !abort.signal.aborted) {
      const path = unreadPaths.value.find((candidate) => !requestedPaths.has(candidate))
      if (path === undefined) break
      requestedPaths.add(path)
      await loadFolder(path)
    }
    isListing = false
  }

  /** Folders are read one after the other, so that a reload does not flood the host. */
  async function loadFolders(paths: readonly string[]): Promise<void> {
    for (const path of paths) if (foldersByPath.has(path) && !abort.signal.aborted) await loadFolder(path)
  }

  function rebuildForest(): void {
    const nextForest = new Forest()
    const nodes: { noteid: string; title: string; parent: string | null }[] = []
    if (states.get('')?.status === 'ready') nodes.push({ noteid: ROOT_ID, title: words().root, parent: null })
    for (const { path, name, hasListedContents } of foldersByPath.values()) {
      const slashIndex = path.lastIndexOf('/')
      nodes.push({ noteid: path, title: name, parent: slashIndex < 0 ? ROOT_ID : path.slice(0, slashIndex) })
      if (!hasListedContents && states.get(path)?.status !== 'ready') {
        nodes.push({ noteid: `${path}/`, title: words().unread, parent: path })
      }
    }
    nextForest.appendChunk(new TreeReader().addNodes(nodes))
    nextForest.finishLoading(true)
    indexesByPath = new Map(nodes.map(({ noteid }, index) => [noteid, index]))
    for (let node = 0; node < nextForest.count; node += 1)
      nextForest.expanded[node] = expandedIds.has(nextForest.getNoteid(node)) ? 1 : 0
    forest.value = nextForest
    version.value += 1
  }

  const rows = computed(() => {
    void version.value
    return computeVisibleRows(forest.value, null)
  })
  const getNodePath = (node: number): string => forest.value.getNoteid(node).replace(/\/$/, '')

  return {
    resource,
    forest,
    rows,
    folderCount: computed(() => foldersByPath.size),
    getFolder: (node: number): Folder | null => foldersByPath.get(getNodePath(node)) ?? null,
    getNodePath,
    findNode: (path: string): number => {
      void version.value
      return indexesByPath.get(path === '' ? ROOT_ID : path) ?? -1
    },
    getFolderState: (path: string): FolderState | null => states.get(path) ?? null,
    loadFolder,
    loadMoreFolders,
    unreadFolderCount: computed(() => unreadPaths.value.length),
    /** Documents of every folder that was read, in the order in which the folders were read. */
    listDocuments: (): readonly ListedDocument[] =>
      [...states].flatMap(([path, state]) =>
        state.status === 'ready'
          ? (state.listing.documents ?? []).map((document) => ({ ...document, folder: path }))
          : [],
      ),
    toggleNode(node: number, isExpanded: boolean): void {
      const id = forest.value.getNoteid(node)
      if (isExpanded) expandedIds.add(id)
      else expandedIds.delete(id)
      forest.value.expanded[node] = isExpanded ? 1 : 0
      version.value += 1
      if (isExpanded) void loadFolder(getNodePath(node))
    },
    expandSiblings(node: number): void {
      for (const sibling of listSiblings(forest.value, node)) {
        expandedIds.add(forest.value.getNoteid(sibling))
        forest.value.expanded[sibling] = 1
      }
      version.value += 1
    },
    async reload(): Promise<void> {
      await resource.reload()
      for (const id of expandedIds) if (foldersByPath.has(id)) void loadFolder(id)
    },
  }
}
