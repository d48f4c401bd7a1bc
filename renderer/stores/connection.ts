import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import type { ConnectionState, ConnectionGap } from '../../shared/ipc/connection.ts'
import { call } from '../ipc/call.ts'
import { onServiceState, subscribe } from '../ipc/subscriptions.ts'

const nothing: ConnectionState = {
  phase: 'none',
  profile: null,
  host: null,
  latencyMs: null,
  since: 0,
  epoch: 0,
  gaps: [],
  changes: [],
  error: null,
  nextTryAt: null,
  lastSeenAt: null,
  certificate: null,
}

/** The connection to the host as the service process sees it, and whether that process can be reached at all. */
export const useConnection = defineStore('connection', () => {
  const state = shallowRef<ConnectionState>(nothing)
  const { beats: heartbeats, add } = useHeartbeats()
  watch(state, add)
  const serviceReachable = ref(true)

  /** The host's state: nothing good while the service process, which knows it, doesn't respond. */
  const phase = computed(() =>
    !serviceReachable.value && state.value.phase !== 'none' ? 'offline' : state.value.phase,
  )
  const online = computed(() => phase.value === 'online')
  const epoch = computed(() => state.value.epoch)

  /** Whether something read in this epoch may no longer match the host: there was a gap since, or there is one now. */
  function isStale(readIn: number): boolean {
    return readIn < state.value.epoch || !online.value
  }

  /** Why something read at this moment is stale: a restart of the host, if there was one since. */
  function getGapReasonSince(readAt: number): ConnectionGap['reason'] | null {
    const since = state.value.gaps.filter(({ until }) => (until ?? Infinity) >= readAt)
    return (since.find(({ reason }) => reason === 'host-restarted') ?? since[0])?.reason ?? null
  }

  /** A state older than the current one (an answer overtaken by a push) changes nothing. */
  function accept(next: ConnectionState): void {
    if (next.epoch >= state.value.epoch) state.value = next
  }

  async function load(): Promise<void> {
    state.value = await call('connection.get', {})
  }

  async function connect(profileId: string): Promise<void> {
    accept(await call('connection.connect', { profileId }))
  }

  async function disconnect(): Promise<void> {
    accept(await call('connection.disconnect', {}))
  }

  async function retry(): Promise<void> {
    accept(await call('connection.retry', {}))
  }

  /** Loads and follows the state; again whenever the service process is back. */
  async function start(): Promise<void> {
    subscribe('connection.changed', accept)
    onServiceState((reachable) => {
      const back = reachable && !serviceReachable.value
      serviceReachable.value = reachable
      if (back) void load()
    })
    await load()
  }

  return {
    state,
    phase,
    online,
    epoch,
    beats: heartbeats,
    serviceReachable,
    isStale,
    reasonSince: getGapReasonSince,
    start,
    load,
    connect,
    disconnect,
    retry,
  }
})

/** One heartbeat as this page heard of it; `latencyMs` is null for the moment at which the host stopped answering. */
export interface HeartbeatSample {
  readonly timestamp: number
  readonly latencyMs: number | null
}

/** Heartbeats kept: a few minutes of them. */
const MOST = 120

/** The latest heartbeats of the connected host, oldest first; another host starts with none. */
export function useHeartbeats() {
  const heartbeats = shallowRef<readonly HeartbeatSample[]>([])
  let of = ''

  function addState({ phase, profile, latencyMs, lastSeenAt }: ConnectionState): void {
    const now = profile === null ? of : JSON.stringify([profile.id, profile.baseUrl])
    if (now !== of) heartbeats.value = []
    of = now
    const last = heartbeats.value.at(-1)
    const beat =
      phase === 'online' && lastSeenAt !== null && latencyMs !== null
        ? { timestamp: lastSeenAt, latencyMs }
        : { timestamp: Date.now(), latencyMs: null }
    if (beat.latencyMs === null ? (last?.latencyMs ?? null) === null : beat.timestamp === last?.timestamp) return
    heartbeats.value = [...heartbeats.value, beat].slice(-MOST)
  }

  return { beats: heartbeats, add: addState }
}
