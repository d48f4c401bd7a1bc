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
import { getCachedResponses } from './recent-responses.ts'
import { useTree } from './tree.ts'

/** Endpoints whose responses may contain an id that is looked up. */
type LookupEndpointId =
  | 'notes.batchGet'
  | 'studySets.list'
  | 'decks.list'
  | 'documents.excerpts'
  | 'bundles.list'
  | 'writing.context'
  | 'writing.pencilResult'
  | 'search.get'

/** A request to the host about an id; the state is `known` if the response contains the id. */
export interface HostQuery {
  readonly endpoint: LookupEndpointId
  readonly state: 'asking' | 'known' | 'unknown' | 'failed'
  readonly error: AppError | null
}

/** The meaning of an id, from stored data and, if these are not enough, from the host. */
export interface IdLookup {
  readonly resolution: ComputedRef<IdResolution>
  readonly sightings: ShallowRef<readonly SourcedSighting[]>
  /** The requests to the host, in order; empty if none were needed. */
  readonly hostQueries: ShallowRef<readonly HostQuery[]>
  readonly state: Ref<'looking' | 'asking' | 'done'>
  /** Looks up the id on the host even if stored data contain it. */
  askHost(): Promise<void>
}

/** The `noteid` of an excerpt identifies its record in the document's notebook (spec §2). */
const getKindOverrides = (endpoint: string): Readonly<Record<string, IdKind>> =>
  endpoint === 'documents.excerpts' ? { noteid: 'excerpt' } : {}

/** Enough of the newest records of session commands: a session lasts only minutes. */
const MAX_RECORDS = 20

/** Looks again when the id changes or the host is back. Call it in a component's scope. */
export function useIdLookup(id: () => string): IdLookup {
  const connection = useConnection()
  const listed = useHostCapabilities()
  const sightings = shallowRef<readonly SourcedSighting[]>([])
  const hostQueries = shallowRef<readonly HostQuery[]>([])
  const state = ref<IdLookup['state']['value']>('looking')
  const resolution = computed(() => resolveId(sightings.value))
  let running = new AbortController()

  async function lookUp(): Promise<void> {
    running.abort()
    const controller = (running = new AbortController())
    state.value = 'looking'
    hostQueries.value = []
    sightings.value = []
    const storedSightings = await findStoredSightings(id())
    if (controller.signal.aborted) return
    sightings.value = storedSightings
    if (resolution.value.meanings.length > 0 || !connection.online) state.value = 'done'
    else await askHost()
  }

  /**
   * Requests the endpoints that could know the id step by step, those of a step at once, until the
   * meaning of the id is known. The search endpoint is last, because it scans the whole library.
   */
  async function askHost(): Promise<void> {
    const controller = running
    state.value = 'asking'
    hostQueries.value = []
    const steps: readonly (readonly LookupEndpointId[])[] = [
      ['notes.batchGet', 'studySets.list', 'decks.list', 'documents.excerpts', 'bundles.list'],
      ['writing.context', 'writing.pencilResult'],
      ['search.get'],
    ]
    for (const step of steps) {
      await Promise.all(
        step
          .filter((endpoint) => listed.isListed(endpoint) !== false)
          .map((endpoint) => askEndpoint(endpoint, controller.signal)),
      )
      if (controller.signal.aborted) return
      sightings.value = await findStoredSightings(id())
      if (controller.signal.aborted) return
      if (resolution.value.meanings.length > 0) break
    }
    state.value = 'done'
  }

  async function askEndpoint(endpoint: LookupEndpointId, signal: AbortSignal): Promise<void> {
    const setQuery = (next: HostQuery['state'], error: AppError | null = null): void => {
      if (signal.aborted) return
      hostQueries.value = [
        ...hostQueries.value.filter((query) => query.endpoint !== endpoint),
        { endpoint, state: next, error },
      ]
    }
    setQuery('asking')
    try {
      setQuery((await isFoundIn(endpoint, id(), signal)) ? 'known' : 'unknown')
    } catch (thrown) {
      const error = toAppError(thrown)
      // The host reports that the object does not exist, which is no failure.
      setQuery(error.wire.status === 404 || error.wire.status === 400 ? 'unknown' : 'failed', error)
    }
  }

  watch([id, () => connection.online, () => connection.state.profile?.id], () => void lookUp(), { immediate: true })
  onScopeDispose(() => running.abort())
  return { resolution, sightings, hostQueries, state, askHost }
}

async function isFoundIn(endpoint: LookupEndpointId, id: string, signal: AbortSignal): Promise<boolean> {
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

/** Searches cached responses, the loaded tree and the journal, without any request. */
async function findStoredSightings(id: string): Promise<readonly SourcedSighting[]> {
  const [tree, journal] = await Promise.all([findInTree(id), findInJournal(id).catch(() => [])])
  return [...findInResponses(id), ...tree, ...journal]
}

function findInResponses(id: string): readonly SourcedSighting[] {
  const needle = id.toLowerCase()
  return getCachedResponses().flatMap(({ meta, raw }) => {
    const bytes = new Uint8Array(raw)
    // An id written with JSON escapes is not found; no known host escapes ids.
    if (!decodeUtf8(bytes).text.toLowerCase().includes(needle)) return []
    const parsed = inspectJson(bytes)
    if (!parsed.isValid) return []
    const label = `${meta.method} ${meta.path}`
    return withSource(findSightings(parsed.value, id, getKindOverrides(meta.endpoint)), {
      label,
      endpoint: meta.endpoint,
      recordId: null,
      timestamp: meta.receivedAt,
      host: null,
    })
  })
}

async function findInTree(id: string): Promise<readonly SourcedSighting[]> {
  const tree = useTree()
  const node = await tree.indexOf(id).catch(() => -1)
  const { key } = tree
  if (key === null || node < 0 || node >= tree.forest.count) return []
  const page = tree.pages[tree.forest.getListingPage(node)]
  const value = {
    topicid: key.topicid,
    notes: [
      {
        noteid: tree.forest.getNoteid(node),
        title: tree.forest.hasTitle(node) ? tree.forest.getTitle(node) : undefined,
      },
    ],
  }
  return withSource(findSightings(value, id), {
    label: page ? `${page.meta.method} ${page.meta.path}` : 'tree',
    endpoint: 'studySets.tree',
    recordId: null,
    timestamp: page?.meta.receivedAt ?? 0,
    host: null,
  })
}

const sessionCommands = endpoints.filter(({ command }) => command === 'session').map(({ id }) => id)

async function findInJournal(id: string): Promise<readonly SourcedSighting[]> {
  const operations = useOperations()
  const { signal } = new AbortController()
  const lists = await Promise.all([
    operations.list({ text: id.slice(0, 200), offset: 0, limit: MAX_RECORDS }, signal),
    ...sessionCommands.map((endpoint) => operations.list({ endpoint, offset: 0, limit: MAX_RECORDS }, signal)),
  ])
  const ids = new Set(lists.flatMap(({ items }) => items.map((item) => item.id)))
  const records = await Promise.all([...ids].map((recordId) => operations.get(recordId)))
  return records.sort((a, b) => b.summary.createdAt - a.summary.createdAt).flatMap((record) => findInRecord(record, id))
}

function findInRecord({ summary, body, method, path }: Operation, id: string): readonly SourcedSighting[] {
  const source: SightingSource = {
    label: `${method} ${path}`,
    endpoint: summary.endpoint,
    recordId: summary.id,
    timestamp: summary.createdAt,
    host: summary.host,
  }
  const { requestId, noteid, topicid } = summary
  const command: unknown = body === null ? null : inspectJson(new TextEncoder().encode(body)).value
  const commandSightings = findSightings(command, id)
  const summarySightings = findSightings({ requestId, noteid, topicid }, id).filter(
    ({ kind }) => !commandSightings.some((sighting) => sighting.kind === kind),
  )
  const record = { kind: 'record' as const, id: summary.id, title: '' }
  const ownSightings: Sighting[] =
    summary.id.toLowerCase() === id.toLowerCase()
      ? [
          {
            id: summary.id,
            pointer: '',
            memberName: 'id',
            kind: 'record',
            namedObject: record,
            referrer: null,
            nearbyIds: {},
          },
        ]
      : []
  // The record refers to all ids in its command. The request id names the record itself.
  const referencingSightings = [...commandSightings, ...summarySightings].map((sighting) => ({
    ...sighting,
    referrer: record,
  }))
  return withSource([...ownSightings, ...referencingSightings], source)
}

const withSource = (sightings: readonly Sighting[], source: SightingSource): readonly SourcedSighting[] =>
  sightings.map((sighting) => ({ ...sighting, source }))
