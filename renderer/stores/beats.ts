import { shallowRef } from 'vue'
import type { ConnectionState } from '../../shared/ipc/connection.ts'

/** One heartbeat as this page heard of it; `ms` is null for the moment at which the host stopped answering. */
export interface Beat {
  readonly at: number
  readonly ms: number | null
}

/** Heartbeats kept: a few minutes of them. */
const MOST = 120

/** The latest heartbeats of the connected host, oldest first; another host starts with none. */
export function useBeats() {
  const beats = shallowRef<readonly Beat[]>([])
  let of = ''

  function add({ phase, profile, latencyMs, lastSeenAt }: ConnectionState): void {
    const now = profile === null ? of : JSON.stringify([profile.id, profile.baseUrl])
    if (now !== of) beats.value = []
    of = now
    const last = beats.value.at(-1)
    const beat =
      phase === 'online' && lastSeenAt !== null && latencyMs !== null
        ? { at: lastSeenAt, ms: latencyMs }
        : { at: Date.now(), ms: null }
    if (beat.ms === null ? (last?.ms ?? null) === null : beat.at === last?.at) return
    beats.value = [...beats.value, beat].slice(-MOST)
  }

  return { beats, add }
}
