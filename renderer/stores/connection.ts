import { defineStore } from './define-store.ts'
import { computed, ref, shallowRef, watch } from 'vue'
import { NO_CONNECTION, type ConnectionState, type ConnectionGap } from '../../shared/ipc/connection.ts'
import { call } from '../ipc/call.ts'
import { onServiceState, subscribe } from '../ipc/subscriptions.ts'
import { useServiceState } from './service-state.ts'

/** The state that the service process reports, and whether that can be reached. */
export const useConnection = defineStore('connection', () => {
  /** `loadError`: why the state is not known, as when the service process refused this tab. */
  const { state, error: loadError, accept, tryApply } = useServiceState<ConnectionState>(NO_CONNECTION)
  const { heartbeats, addState: add } = useHeartbeats()
  watch(state, add)
  const serviceReachable = ref(true)

  /** `offline` while the service process is away, because only it knows the host's state. */
  const phase = computed(() =>
    !serviceReachable.value && state.value.phase !== 'none' ? 'offline' : state.value.phase,
  )
  const online = computed(() => phase.value === 'online')
  const epoch = computed(() => state.value.epoch)

  /** True if the connection was interrupted since, or is now: the data may not match the host. */
  function isStale(readIn: number): boolean {
    return readIn < state.value.epoch || !online.value
  }

  /** A restart of the host takes precedence over other interruptions since the read. */
  function getGapReasonSince(readAt: number): ConnectionGap['reason'] | null {
    const since = state.value.gaps.filter(({ until }) => (until ?? Infinity) >= readAt)
    return (since.find(({ reason }) => reason === 'host-restarted') ?? since[0])?.reason ?? null
  }

  const load = (): Promise<void> => tryApply(call('connection.get', {}))

  /**
   * The reply is the state at the end of a command, on which its caller relies. It is newer than
   * the pushes during the command, unless one tells of a later connection.
   */
  async function run(command: Promise<ConnectionState>): Promise<void> {
    const next = await command
    if (next.epoch >= state.value.epoch) accept(next)
  }

  async function connect(profileId: string): Promise<void> {
    await run(call('connection.connect', { profileId }))
  }

  async function disconnect(): Promise<void> {
    await run(call('connection.disconnect', {}))
  }

  async function retry(): Promise<void> {
    await run(call('connection.retry', {}))
  }

  /** Follows the state, and loads it again whenever the service process is back. */
  async function start(): Promise<void> {
    subscribe('connection.changed', accept)
    onServiceState((reachable) => {
      const isBack = reachable && !serviceReachable.value
      serviceReachable.value = reachable
      if (isBack) void load()
    })
    await load()
  }

  return {
    state,
    phase,
    online,
    epoch,
    heartbeats,
    serviceReachable,
    loadError,
    isStale,
    getGapReasonSince,
    start,
    load,
    connect,
    disconnect,
    retry,
  }
})

/** `latencyMs` is null at the time when the host stopped responding. */
export interface HeartbeatSample {
  readonly timestamp: number
  readonly latencyMs: number | null
}

const MAX_HEARTBEATS = 120

/** Oldest first. The list is cleared when a different host is connected. */
export function useHeartbeats() {
  const heartbeats = shallowRef<readonly HeartbeatSample[]>([])
  let hostKey = ''

  function addState({ phase, profile, latencyMs, lastSeenAt }: ConnectionState): void {
    const nextKey = profile === null ? hostKey : JSON.stringify([profile.id, profile.baseUrl])
    if (nextKey !== hostKey) heartbeats.value = []
    hostKey = nextKey
    const last = heartbeats.value.at(-1)
    const heartbeat =
      phase === 'online' && lastSeenAt !== null && latencyMs !== null
        ? { timestamp: lastSeenAt, latencyMs }
        : { timestamp: Date.now(), latencyMs: null }
    if (heartbeat.latencyMs === null ? (last?.latencyMs ?? null) === null : heartbeat.timestamp === last?.timestamp)
      return
    heartbeats.value = [...heartbeats.value, heartbeat].slice(-MAX_HEARTBEATS)
  }

  return { heartbeats, addState }
}
