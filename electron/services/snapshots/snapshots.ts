// Snapshots of study sets: every complete card listing that anybody reads becomes one, and two of
// them are compared. What differs is found in shared/snapshots; requests are sent by ../bridge.
// Read this file first, then snapshot-store.ts.
import { getEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import { decodePercent, matchPathTemplate } from '../../../shared/bridge/endpoints/path-template.ts'
import type { DataChange } from '../../../shared/bridge/data-change.ts'
import { AppError, createCancelledError } from '../../../shared/errors.ts'
import type { IpcInput, IpcOutput } from '../../../shared/ipc/index.ts'
import { HELD_MARK } from '../../../shared/panel/breakpoints.ts'
import { toRecordedWrite } from '../../../shared/snapshots/cause.ts'
import type { SnapshotInfo } from '../../../shared/snapshots/snapshot.ts'
import type { ExchangeEnd, ExchangeStart } from '../bridge/types.ts'
import type { Bus, ChangeSource } from '../bus.ts'
import type { Log } from '../files/log.ts'
import type { Notices } from '../notices.ts'
import type { SettingsService } from '../settings/settings.ts'
import type { EntryPlace } from '../../recording-file/zip-file.ts'
import type { ObservedPage } from './listing-collector.ts'
import { SnapshotReader, type TakeOptions } from './snapshot-reader.ts'
import { SnapshotThread } from './thread/snapshot-thread.ts'

const TREE_ENDPOINT = 'studySets.tree'
const MB = 1024 * 1024

interface Options {
  readonly dataDir: string
  /** If true, nothing is stored on disk, and only listings that `take` reads become snapshots. */
  readonly isVisit: boolean
  /** The module that runs in the thread. */
  readonly worker: URL
  readonly maxQueuedBytes?: number
  readonly bus: Bus
  readonly notices: Notices
  readonly log: Log
  readonly settings: SettingsService
  readonly onTokens: (listener: (tokens: readonly string[]) => void) => void
}

export interface Snapshots {
  /** Must be called before the body of a listing is passed on, which nobody may change then. */
  observeExchange(start: ExchangeStart, end: ExchangeEnd, place?: EntryPlace): void
  observeChange(change: DataChange, source: ChangeSource): void
  list(topicid: string | undefined): Promise<IpcOutput<'snapshots.list'>>
  compare(input: IpcInput<'snapshots.compare'>): Promise<IpcOutput<'snapshots.compare'>>
  marks(input: IpcInput<'snapshots.marks'>): Promise<IpcOutput<'snapshots.marks'>>
  ghosts(input: IpcInput<'snapshots.ghosts'>): Promise<IpcOutput<'snapshots.ghosts'>>
  forecast(input: IpcInput<'snapshots.forecast'>): Promise<IpcOutput<'snapshots.forecast'>>
  take(input: IpcInput<'snapshots.take'>, options: TakeOptions): Promise<SnapshotInfo>
  read(input: IpcInput<'snapshots.read'>): Promise<IpcOutput<'snapshots.read'>>
  clear(topicid: string | undefined): Promise<number>
  close(): Promise<void>
}

export function createSnapshots({
  dataDir,
  isVisit,
  worker,
  maxQueuedBytes,
  bus,
  notices,
  log,
  settings,
  onTokens,
}: Options): Snapshots {
  const thread = new SnapshotThread({
    worker,
    dataDir: isVisit ? null : dataDir,
    ...(maxQueuedBytes === undefined ? {} : { maxQueuedBytes }),
    listeners: {
      changed: (topicid) => bus.publish('snapshots.changed', { topicid }),
      progress: (progress) => bus.publish('snapshots.progress', progress),
      noticed: (newNotices) => newNotices.forEach((notice) => notices.add(notice)),
    },
    onFailure: (reason) => log.error('the thread of snapshots has ended', { reason }),
  })
  /** Callers of listings that the user asked for; they post their pages themselves. */
  const takeCallers = new Set<string>()
  let takeCount = 0
  /** By study set, when the last page arrived for which the thread had no room. */
  const droppedAt = new Map<string, number>()

  const applyBounds = (): void => {
    const { snapshotKeepDays: keepDays, snapshotMaxMb } = settings.get()
    thread.setBounds({ keepDays, maxBytes: snapshotMaxMb * MB })
  }
  onTokens((tokens) => thread.setTokens(tokens))
  applyBounds()
  const unsubscribe = bus.on('settings.changed', applyBounds)

  return {
    observeExchange(start, end, place) {
      if (isVisit || takeCallers.has(start.origin.caller ?? '')) return
      const facts = toListedPage(start, end, place)
      if (facts === null) return
      const { body, isBodyOwned } = end
      if (!thread.hasRoom(body?.byteLength ?? 0)) {
        droppedAt.set(facts.topicid, facts.endedAt)
        return
      }
      const page = { ...facts, bytes: body === null ? new Uint8Array(0) : toKeptBytes(body, isBodyOwned) }
      const isShared = page.bytes.buffer === body?.buffer
      thread.sendPage({ page, place, token: start.target.token, isRequested: false }, isShared)
    },
    observeChange(change, { host, startedAt, body }) {
      // In a visit there is nothing that calls could have changed until a snapshot was taken.
      if (isVisit && takeCount === 0) return
      const write = toRecordedWrite(change, startedAt, body)
      if (write) thread.send('addWrite', { ...write, host })
    },
    async list(topicid) {
      const list = await thread.ask('list', topicid)
      const wasDropped = (droppedAt.get(topicid ?? '') ?? 0) > (list.snapshots[0]?.seenAt ?? 0)
      return wasDropped ? { ...list, wasDropped } : list
    },
    compare: (input) => thread.ask('compare', input),
    marks: (input) => thread.ask('marks', input),
    ghosts: (input) => thread.ask('ghosts', input),
    forecast: (input) => thread.ask('forecast', input),
    async take(input, options) {
      takeCount += 1
      const caller = `snapshot-${takeCount}`
      takeCallers.add(caller)
      try {
        await new SnapshotReader({ ...options, thread, settings: settings.get(), caller }).read(input)
      } catch (error) {
        // The cards read until then are kept as a snapshot that is not whole.
        await thread.ask('endTake', { caller, gap: options.signal.aborted ? 'cancelled' : 'failed' })
        throw options.signal.aborted ? createCancelledError() : error
      } finally {
        takeCallers.delete(caller)
      }
      const info = await thread.ask('endTake', { caller, gap: 'failed' })
      if (info === null) throw createUnreadableError()
      return info
    },
    read: (input) => thread.ask('read', input),
    clear: (topicid) => thread.ask('clear', topicid),
    async close() {
      unsubscribe()
      await thread.close()
    },
  }
}

const listingParameters: ReadonlySet<string> = new Set(
  getEndpointById(TREE_ENDPOINT).parameters.map(({ name }) => name),
)

/** @returns null for anything but a complete page of a card listing that the host itself sent */
function toListedPage(
  { endpoint, target, path, origin, rule, startedAt }: ExchangeStart,
  { isComplete, status, hostCode, body, missing, durationMs }: ExchangeEnd,
  place?: EntryPlace,
): Omit<ObservedPage, 'bytes'> | null {
  const isOk = isComplete && status !== null && status >= 200 && status < 300 && hostCode === null
  if (endpoint.id !== TREE_ENDPOINT || !isOk || (body === null && !place) || missing !== null) return null
  if (rule !== undefined && rule !== HELD_MARK) return null
  const [pathname = '', queryText = ''] = path.split('?', 2)
  const topicid = matchPathTemplate(target.pathOverrides[endpoint.id] ?? endpoint.path, pathname)?.[0]
  if (topicid === undefined) return null
  const query = new URLSearchParams(queryText)
  // Whatever the contract does not list may leave cards out.
  if ([...query.keys()].some((name) => !listingParameters.has(name))) return null
  return {
    topicid: decodePercent(topicid),
    host: target.baseUrl,
    instance: target.instanceNonce ?? null,
    origin,
    root: query.get('root') ?? '',
    sort: query.get('sort') ?? '',
    cursor: query.get('cursor'),
    startedAt,
    endedAt: startedAt + durationMs,
  }
}

/** Copies bytes that the recorder may detach, and parts of larger buffers, which would be kept. */
function toKeptBytes(bytes: Uint8Array, isBodyOwned = false): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes
  const canShare = !isBodyOwned && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
  return canShare ? new Uint8Array(buffer) : new Uint8Array(bytes)
}

const createUnreadableError = (): AppError =>
  new AppError({
    kind: 'malformed',
    code: 'LISTING_UNREADABLE',
    retryable: false,
    message: 'The host’s card listing could not be read: it has no list of cards.',
  })
