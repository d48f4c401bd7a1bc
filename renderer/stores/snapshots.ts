import { onScopeDispose, shallowReactive, watch } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type { IpcInput, IpcOutput, IpcPayload } from '../../shared/ipc/index.ts'
import {
  MAX_CHANGE_ROWS_PER_CALL,
  MAX_FORECAST_BODY_CHARS,
  type SnapshotChangeRow,
  type SnapshotChoice,
  type SnapshotComparison,
} from '../../shared/ipc/snapshots.ts'
import type { SnapshotInfo } from '../../shared/snapshots/snapshot.ts'
import { call } from '../ipc/call.ts'
import { onServiceBack, subscribe } from '../ipc/subscriptions.ts'
import { isCancellation, toAppError } from './errors.ts'
import { useResource, type Resource } from './resource.ts'

/** The newest first, up to date by pushes; `topicid` is null for all study sets. */
export function useSnapshotList(topicid: () => string | null): Resource<IpcOutput<'snapshots.list'>> {
  const resource = useResource((signal) => {
    const id = topicid()
    return call('snapshots.list', id === null ? {} : { topicid: id }, { signal })
  })
  watch(
    topicid,
    (id) => {
      resource.reset()
      if (id !== '') void resource.reload()
    },
    { immediate: true },
  )
  const isAbout = (id: string | null): boolean =>
    topicid() !== '' && (id === null || topicid() === null || id === topicid())
  onScopeDispose(subscribe('snapshots.changed', (payload) => isAbout(payload.topicid) && void resource.reload()))
  onScopeDispose(onServiceBack(() => isAbout(null) && void resource.reload()))
  return resource
}

/** A new snapshot makes a new forecast of a write, or one to compare with. */
export function useForecast(getInput: () => IpcInput<'snapshots.forecast'>): Resource<IpcOutput<'snapshots.forecast'>> {
  const resource = useResource((signal) => call('snapshots.forecast', getInput(), { signal }))
  const reload = (): void => {
    if ((getInput().body?.length ?? 0) <= MAX_FORECAST_BODY_CHARS) void resource.reload()
  }
  watch(() => JSON.stringify(getInput()), reload, { immediate: true })
  onScopeDispose(subscribe('snapshots.changed', reload))
  return resource
}

/** The parts that are read beyond the listing. */
export type SnapshotParts = Record<Exclude<keyof IpcInput<'snapshots.take'>, 'topicid'>, boolean>

export interface SnapshotTakingState {
  readonly isTaking: boolean
  /** Null before the first page. */
  readonly progress: IpcPayload<'snapshots.progress'> | null
  readonly error: AppError | null
  /** The snapshot that was taken last, which may be an earlier one that was seen again. */
  readonly result: SnapshotInfo | null
}

/** Reads the card listing because the user asks for it. Reading ends with the component. */
export function useSnapshotTaking() {
  const idle: SnapshotTakingState = { isTaking: false, progress: null, error: null, result: null }
  const state = shallowReactive({ ...idle })
  let controller = new AbortController()
  let takenTopicid = ''

  async function take(topicid: string, parts: SnapshotParts): Promise<void> {
    controller.abort()
    const { signal } = (controller = new AbortController())
    takenTopicid = topicid
    Object.assign(state, { ...idle, isTaking: true })
    try {
      const info = await call('snapshots.take', { topicid, ...parts }, { signal })
      if (controller.signal === signal) state.result = info
    } catch (thrown) {
      if (controller.signal === signal && !isCancellation(thrown)) state.error = toAppError(thrown)
    } finally {
      if (controller.signal === signal) state.isTaking = false
    }
  }
  onScopeDispose(
    subscribe('snapshots.progress', (payload) => {
      if (state.isTaking && payload.topicid === takenTopicid) state.progress = payload
    }),
  )
  onScopeDispose(() => controller.abort())
  return {
    state,
    take /** The cards read until then become a snapshot that is not whole. */,
    cancel: (): void => controller.abort(),
  }
}

/** `rows` holds the first ones of all `rowCount` rows. */
export type ReadComparison = Omit<SnapshotComparison, 'offset'>

/** Rows beyond this number are only counted: nobody reads so many, and each is held in memory. */
const MAX_ROWS = 20_000

/** The first part is small, so that its rows appear soon. */
const FIRST_PART_ROWS = 100

/** Reads the rows of a comparison part by part. The service process compares the snapshots. */
export async function readComparison(
  { topicid, before, after }: { topicid: string; before: SnapshotChoice; after: SnapshotChoice },
  signal: AbortSignal,
  onPart: (comparison: ReadComparison) => void,
): Promise<void> {
  const rows: SnapshotChangeRow[] = []
  for (;;) {
    const limit = rows.length === 0 ? FIRST_PART_ROWS : MAX_CHANGE_ROWS_PER_CALL
    const input = { topicid, before, after, layout: 'tree' as const, offset: rows.length, limit }
    const part = await call('snapshots.compare', input, { signal })
    rows.push(...part.rows)
    onPart({ ...part, rows: [...rows] })
    if (part.rows.length === 0 || rows.length >= Math.min(part.rowCount, MAX_ROWS)) return
  }
}
