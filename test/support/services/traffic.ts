import type { Database } from '../../../electron/services/journal/database.ts'
import type { RawBody, RawEntry } from '../../../electron/services/traffic/entry.ts'
import { openTrafficDatabase } from '../../../electron/services/traffic/disk/traffic-database.ts'
import { DiskStore } from '../../../electron/services/traffic/disk/disk-store.ts'
import type { FindingsChange } from '../../../electron/services/findings/findings-judge.ts'
import type { StoreChange } from '../../../electron/services/traffic/traffic-store.ts'

let count = 0

export function createBody(content: string | Uint8Array | null, mediaType = 'application/json'): RawBody {
  const bytes = content === null ? null : new Uint8Array(Buffer.from(content as string))
  return { bytes, total: bytes?.byteLength ?? 0, missing: null, mediaType, isJson: mediaType === 'application/json' }
}

interface EntryOptions extends Partial<Omit<RawEntry, 'row'>> {
  readonly row?: Partial<RawEntry['row']>
}

/** An exchange as the recorder hands it over. */
export function createEntry({ row, ...rest }: EntryOptions = {}): RawEntry {
  count += 1
  const id = `id-${count}`
  const response = rest.response ?? createBody('{}')
  const beganAt = row?.startedAt ?? 1_000_000 + count
  return {
    beganAt,
    endedAt: beganAt + (row?.durationMs ?? 5),
    row: {
      id,
      startedAt: 1_000_000 + count,
      durationMs: 5,
      timing: { queued: 0, connected: 1, sent: 2, firstByte: 3, lastByte: 4 },
      method: 'GET',
      path: `/notes/N-${count}`,
      endpoint: 'notes.get',
      template: '/notes/{noteid}',
      origin: { kind: 'place', label: null },
      state: 'answered',
      status: 200,
      errorCode: null,
      attempt: 1,
      group: id,
      epoch: 1,
      instance: 'run',
      host: 'http://127.0.0.1:1/bridge/v1',
      requestBytes: 0,
      wireBytes: 300,
      bytes: response.total ?? 0,
      mediaType: 'application/json',
      pinned: false,
      rule: null,
      ...row,
    },
    requestHeaders: [],
    responseHeaders: [],
    error: null,
    request: createBody(null, ''),
    response,
    token: null,
    ...rest,
  }
}

export interface OpenedStore {
  readonly store: DiskStore
  readonly database: Database
  readonly changes: StoreChange[]
  readonly findings: FindingsChange[]
  /** Errors of bodies of a recording. */
  readonly damaged: unknown[]
  readonly getFreedBytes: () => number
  /** Counts the reports that the disk accepts no more data. */
  readonly countUnwritten: () => number
}

/** The store on disk without its thread. */
export function openDiskStore(dataDir: string, runStartedAt = 0): OpenedStore {
  const opened = openTrafficDatabase(dataDir)
  const { database } = opened
  if (!database) throw new Error(opened.reason ?? 'no store')
  const changes: StoreChange[] = []
  const findings: FindingsChange[] = []
  let freed = 0
  const onFindings = (change: FindingsChange): void => void findings.push(change)
  const onFreed = (bytes: number): void => void (freed += bytes)
  const onChange = (change: StoreChange): void => void changes.push(change)
  let unwritten = 0
  const onUnwritten = (): void => void (unwritten += 1)
  const damaged: unknown[] = []
  const onDamaged = (error: unknown): void => void damaged.push(error)
  const listeners = { onChange, onFindings, onFreed, onUnwritten, onDamaged }
  const store = new DiskStore({ opened: { ...opened, database }, runStartedAt, ...listeners })
  return { store, database, changes, findings, damaged, getFreedBytes: () => freed, countUnwritten: () => unwritten }
}

/** Adds exchanges and saves all of them. Returns their places, in order. */
export function addAll({ store }: Pick<OpenedStore, 'store'>, entries: readonly RawEntry[]): number[] {
  for (const entry of entries) store.add(entry)
  store.flush()
  while (store.saveBody());
  return entries.map(({ row }) => store.reader.exchange({ id: row.id })?.row.seq ?? 0)
}

export function indexAll({ store }: Pick<OpenedStore, 'store'>): void {
  while (store.indexNext());
}
