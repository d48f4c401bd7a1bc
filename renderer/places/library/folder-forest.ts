import { computed, onScopeDispose, ref, shallowReactive, shallowRef, watch } from 'vue'
import { parseFolders, type Folder, type FolderListing } from '../../model/responses/folders.ts'
import type { AppError } from '../../../shared/errors.ts'
import { Forest } from '../../model/tree/forest.ts'
import { TreeReader } from '../../model/tree/tree-reader.ts'
import { computeVisibleRows } from '../../model/tree/tree-rows.ts'
import { useConnection } from '../../stores/connection.ts'
import { toAppError, isCancellation } from '../../stores/errors.ts'
import { readEndpoint, pickReport, useRead, type HostResponse, type ResponseReport } from '../../stores/host-read.ts'

/** Id of the root's node: no folder has an empty name. */
const ROOT = '/'

/** Open folders whose contents are read again with the root. */
const MAX_READ_AGAIN = 20

/** What is known of a folder. */
export type FolderState =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly listing: FolderListing; readonly reported: ResponseReport }
  | { readonly status: 'failed'; readonly error: AppError }

/**
 * The folders of the library as the tree component takes them. What is in a folder is asked for when it is opened or chosen, a level at a time;
 * a folder of which nothing is known yet has a line in it that says so. `words` names the root and that line.
 */
export function useFolderForest(words: () => { readonly root: string; readonly unread: string }) {
  const connection = useConnection()
  const resource = useRead('library.folders', () => (connection.online ? {} : null))
  const known = shallowReactive(new Map<string, Folder>())
  const levels = shallowReactive(new Map<string, FolderState>())
  const open = new Set<string>([ROOT])
  const forest = shallowRef(new Forest())
  /** A node's index is its place in the order of reading. */
  let indices = new Map<string, number>()
  const changes = ref(0)
  const abort = new AbortController()
  onScopeDispose(() => abort.abort())

  watch(
    () => resource.data,
    (answer) => {
      const read = [...levels].filter(([path, { status }]) => path !== '' && status === 'ready' && open.has(path))
      known.clear()
      levels.clear()
      if (answer) take('', answer)
      draw()
      if (answer) void wantAll(read.map(([path]) => path).slice(0, MAX_READ_AGAIN))
    },
    { immediate: true },
  )
  watch(words, draw)

  function take(path: string, answer: HostResponse<unknown>): void {
    const listing = parseFolders(answer.value, path)
    levels.set(path, { status: 'ready', listing, reported: pickReport(answer) })
    for (const folder of listing.folders) known.set(folder.path, folder)
  }

  /** Asks for what is in a folder, once. */
  async function loadFolder(path: string, again = false): Promise<void> {
    const before = levels.get(path)
    if (path === '' || before?.status === 'loading' || (before?.status === 'ready' && !again)) return
    levels.set(path, { status: 'loading' })
    try {
      const answer = await readEndpoint('library.folders', { query: { path, depth: 1 } }, { signal: abort.signal })
      take(path, answer)
    } catch (error) {
      if (isCancellation(error)) levels.delete(path)
      else levels.set(path, { status: 'failed', error: toAppError(error) })
    }
    draw()
  }

  /** One after the other, so that a reload of many open folders is no flood. */
  async function wantAll(paths: readonly string[]): Promise<void> {
    for (const path of paths) if (known.has(path) && !abort.signal.aborted) await loadFolder(path)
  }

  function draw(): void {
    const next = new Forest()
    const nodes: { noteid: string; title: string; parent: string | null }[] = []
    if (levels.get('')?.status === 'ready') nodes.push({ noteid: ROOT, title: words().root, parent: null })
    for (const { path, name, hasListedContents: listed } of known.values()) {
      const at = path.lastIndexOf('/')
      nodes.push({ noteid: path, title: name, parent: at < 0 ? ROOT : path.slice(0, at) })
      if (!listed && levels.get(path)?.status !== 'ready') {
        nodes.push({ noteid: `${path}/`, title: words().unread, parent: path })
      }
    }
    next.appendChunk(new TreeReader().addNodes(nodes))
    next.finishLoading(true)
    indices = new Map(nodes.map(({ noteid }, at) => [noteid, at]))
    for (let node = 0; node < next.count; node += 1) next.expanded[node] = open.has(next.noteid(node)) ? 1 : 0
    forest.value = next
    changes.value += 1
  }

  const rows = computed(() => {
    void changes.value
    return computeVisibleRows(forest.value, null)
  })
  const getPath = (node: number): string => forest.value.noteid(node).replace(/\/$/, '')

  return {
    resource,
    forest,
    rows,
    /** How many folders are known. */
    folderCount: computed(() => known.size),
    getFolder: (node: number): Folder | null => known.get(getPath(node)) ?? null,
    pathAt: getPath,
    findNode: (path: string): number => {
      void changes.value
      return indices.get(path === '' ? ROOT : path) ?? -1
    },
    getFolderState: (path: string): FolderState | null => levels.get(path) ?? null,
    want: loadFolder,
    toggleNode(node: number, to: boolean): void {
      const id = forest.value.noteid(node)
      if (to) open.add(id)
      else open.delete(id)
      forest.value.expanded[node] = to ? 1 : 0
      changes.value += 1
      if (to) void loadFolder(getPath(node))
    },
    expandSiblings(node: number): void {
      const parent = forest.value.parent(node)
      let at = parent < 0 ? forest.value.firstRoot : forest.value.firstChild(parent)
      for (; at >= 0; at = forest.value.nextSibling(at)) {
        open.add(forest.value.noteid(at))
        forest.value.expanded[at] = 1
      }
      changes.value += 1
    },
    /** Everything anew, with what is open staying open. */
    async reload(): Promise<void> {
      await resource.reload()
      for (const id of open) if (known.has(id)) void loadFolder(id)
    },
  }
}
