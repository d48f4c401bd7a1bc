import { computed, onScopeDispose, ref, shallowRef, watch, type ComputedRef, type Ref, type ShallowRef } from 'vue'
import { endpoints } from '../../shared/bridge/endpoints/index.ts'
import type { AppError } from '../../shared/errors.ts'
import type { Operation } from '../../shared/ipc/operations.ts'
import { decodeUtf8, inspectJson } from '../../shared/json/inspection.ts'
import { resolveId, type IdResolution, type SourcedSighting, type SightingSource } from '../model/lens/id-resolution.ts'
import { findSightings, type Sighting } from '../model/lens/sightings.ts'
import type { IdKind } from '../../shared/bridge/id-kinds.ts'
import { useConnection } from './connection.ts'
import { toAppError } from './errors.ts'
import { useHostCapabilities } from './host-capabilities.ts'
import { useOperations } from './operations.ts'
import { readEndpoint } from './host-read.ts'
import { getCachedResponses } from './recent-answers.ts'
import { useTree } from './tree.ts'

/** A read that may know an id. */
type LookupEndpointId =
  | 'notes.batchGet'
  | 'studySets.list'
  | 'decks.list'
  | 'documents.excerpts'
  | 'bundles.list'
  | 'writing.context'
  | 'writing.pencilResult'
  | 'search.get'

/** What the host said when it was asked: `known` if the id is in the answer. */
export interface HostQuery {
  readonly endpoint: LookupEndpointId
  readonly state: 'asking' | 'known' | 'unknown' | 'failed'
  readonly error: AppError | null
}

/** What an id names, by everything at hand and, where that is not enough, by the host. */
export interface Lens {
  readonly resolution: ComputedRef<IdResolution>
  readonly sightings: ShallowRef<readonly SourcedSighting[]>
  /** What the host was asked, in order; empty if there was no need. */
  readonly hostQueries: ShallowRef<readonly HostQuery[]>
  readonly state: Ref<'looking' | 'asking' | 'done'>
  /** Asks the host although the id is known already. */
  askHost(): Promise<void>
}

/** The `noteid` of an excerpt is its record in the document's notebook (spec §2). */
const kindsOf = (endpoint: string): Readonly<Record<string, IdKind>> =>
  endpoint === 'documents.excerpts' ? { noteid: 'excerpt' } : {}

/** Session commands whose bodies are searched: the newest, because a run is a thing of minutes. */
const MAX_RECORDS = 20

/** Looks an id up, again whenever it changes or the host comes back. Must be called in a component's scope. */
export function useLens(id: () => string): Lens {
  const connection = useConnection()
  const listed = useHostCapabilities()
  const seen = shallowRef<readonly SourcedSighting[]>([])
  const asked = shallowRef<readonly HostQuery[]>([])
  const state = ref<Lens['state']['value']>('looking')
  const resolved = computed(() => resolveId(seen.value))
  let running = new AbortController()

  async function look(): Promise<void> {
    running.abort()
    const mine = (running = new AbortController())
    state.value = 'looking'
    asked.value = []
    seen.value = []
    const found = await atHand(id())
    if (mine.signal.aborted) return
    seen.value = found
    if (resolved.value.meanings.length > 0 || !connection.online) state.value = 'done'
    else await ask()
  }

  /** All that could know it at once; the search, which scans the whole library, only if none of them does. */
  async function ask(): Promise<void> {
    const mine = running
    state.value = 'asking'
    asked.value = []
    const steps: readonly (readonly LookupEndpointId[])[] = [
      ['notes.batchGet', 'studySets.list', 'decks.list', 'documents.excerpts', 'bundles.list'],
      ['writing.context', 'writing.pencilResult'],
      ['search.get'],
    ]
    for (const step of steps) {
      await Promise.all(step.filter((one) => listed.lists(one) !== false).map((one) => askOne(one, mine.signal)))
      if (mine.signal.aborted) return
      seen.value = await atHand(id())
      if (mine.signal.aborted) return
      if (resolved.value.meanings.length > 0) break
    }
    state.value = 'done'
  }

  async function askOne(endpoint: LookupEndpointId, signal: AbortSignal): Promise<void> {
    const put = (next: HostQuery['state'], error: AppError | null = null): void => {
      if (signal.aborted) return
      asked.value = [...asked.value.filter((one) => one.endpoint !== endpoint), { endpoint, state: next, error }]
    }
    put('asking')
    try {
      put((await isIn(endpoint, id(), signal)) ? 'known' : 'unknown')
    } catch (thrown) {
      const error = toAppError(thrown)
      // The host says that it has no such thing, which is an answer.
      put(error.wire.status === 404 || error.wire.status === 400 ? 'unknown' : 'failed', error)
    }
  }

  watch([id, () => connection.online, () => connection.state.profile?.id], () => void look(), { immediate: true })
  onScopeDispose(() => running.abort())
  return { resolution: resolved, sightings: seen, hostQueries: asked, state, askHost: ask }
}

async function isIn(endpoint: LookupEndpointId, id: string, signal: AbortSignal): Promise<boolean> {
  const { value } = await read(endpoint, id, signal)
  return findSightings(value, id).length > 0
}

function read(endpoint: LookupEndpointId, id: string, signal: AbortSignal): Promise<{ readonly value: unknown }> {
  switch (endpoint) {
    case 'notes.batchGet':
      return readEndpoint(endpoint, { body: { noteIds: [id] } }, { signal })
    case 'documents.excerpts':
      return readEndpoint(endpoint, { params: { bookmd5: id }, query: { duplicatesOnly: 1 } }, { signal })
    case 'writing.pencilResult':
      return readEndpoint(endpoint, { body: { requestId: id } }, { signal })
    case 'search.get':
      return readEndpoint(endpoint, { query: { q: id } }, { signal })
    default:
      return readEndpoint(endpoint, {}, { signal })
  }
}

/** Everything seen of an id without asking the host: in the kept answers, the loaded tree and the journal. */
async function atHand(id: string): Promise<readonly SourcedSighting[]> {
  const [tree, journal] = await Promise.all([inTree(id), inJournal(id).catch(() => [])])
  return [...inAnswers(id), ...tree, ...journal]
}

function inAnswers(id: string): readonly SourcedSighting[] {
  const needle = id.toLowerCase()
  return getCachedResponses().flatMap(({ meta, raw }) => {
    const bytes = new Uint8Array(raw)
    // An id that is written with escapes is not found this way; no host is known to do that.
    if (!decodeUtf8(bytes).text.toLowerCase().includes(needle)) return []
    const parsed = inspectJson(bytes)
    if (!parsed.isValid) return []
    const label = `${meta.method} ${meta.path}`
    return withSource(findSightings(parsed.value, id, kindsOf(meta.endpoint)), {
      label,
      endpoint: meta.endpoint,
      recordId: null,
      timestamp: meta.receivedAt,
    })
  })
}

async function inTree(id: string): Promise<readonly SourcedSighting[]> {
  const tree = useTree()
  const node = await tree.indexOf(id).catch(() => -1)
  const { key } = tree
  if (key === null || node < 0 || node >= tree.forest.count) return []
  const page = tree.pages[tree.forest.pageOf(node)]
  const value = { topicid: key.topicid, notes: [{ noteid: tree.forest.noteid(node), title: tree.forest.title(node) }] }
  return withSource(findSightings(value, id), {
    label: page ? `${page.meta.method} ${page.meta.path}` : 'tree',
    endpoint: 'studySets.tree',
    recordId: null,
    timestamp: page?.meta.receivedAt ?? 0,
  })
}

const sessionCommands = endpoints.filter(({ command }) => command === 'session').map(({ id }) => id)

async function inJournal(id: string): Promise<readonly SourcedSighting[]> {
  const operations = useOperations()
  const { signal } = new AbortController()
  const lists = await Promise.all([
    operations.list({ text: id.slice(0, 200), offset: 0, limit: MAX_RECORDS }, signal),
    ...sessionCommands.map((endpoint) => operations.list({ endpoint, offset: 0, limit: MAX_RECORDS }, signal)),
  ])
  const ids = new Set(lists.flatMap(({ items }) => items.map((item) => item.id)))
  const records = await Promise.all([...ids].map((record) => operations.get(record)))
  return records.sort((a, b) => b.summary.createdAt - a.summary.createdAt).flatMap((record) => inRecord(record, id))
}

function inRecord({ summary, body, method, path }: Operation, id: string): readonly SourcedSighting[] {
  const source: SightingSource = {
    label: `${method} ${path}`,
    endpoint: summary.endpoint,
    recordId: summary.id,
    timestamp: summary.createdAt,
  }
  const { requestId, noteid, topicid } = summary
  const sent: unknown = body === null ? null : inspectJson(new TextEncoder().encode(body)).value
  const known = findSightings(sent, id)
  const more = findSightings({ requestId, noteid, topicid }, id).filter(
    ({ kind }) => !known.some((one) => one.kind === kind),
  )
  const by = { kind: 'record' as const, id: summary.id, title: '' }
  const own: Sighting[] =
    summary.id.toLowerCase() === id.toLowerCase()
      ? [
          {
            id: summary.id,
            pointer: '',
            memberName: 'id',
            kind: 'record',
            namedObject: by,
            referrer: null,
            nearbyIds: {},
          },
        ]
      : []
  // The record refers to all that its command names; the request is the record's own.
  const told = [...known, ...more].map((one) => ({ ...one, by }))
  return withSource([...own, ...told], source)
}

const withSource = (sightings: readonly Sighting[], source: SightingSource): readonly SourcedSighting[] =>
  sightings.map((one) => ({ ...one, source }))
