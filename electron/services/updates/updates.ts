import { createRefusedError, toWireError } from '../../../shared/errors.ts'
import type { UpdateState } from '../../../shared/ipc/updates.ts'
import type { Bus } from '../bus.ts'
import { describeError, type Log } from '../files/log.ts'
import type { SettingsService } from '../settings/settings.ts'
import type { Updater } from './updater.ts'

interface Options {
  readonly updater: Updater | null
  readonly settings: Pick<SettingsService, 'get'>
  readonly bus: Bus
  readonly log: Log
  readonly now?: () => number
}

export interface Updates {
  state(): UpdateState
  /** Starts a check. Throws `UPDATE_NOT_HERE`, `UPDATE_OFF`. */
  check(): UpdateState
  /** Starts the download of what was found. Throws `UPDATE_NONE`. */
  download(): UpdateState
  cancel(): UpdateState
  /** Hands over to the installer. Throws `UPDATE_NONE`. */
  install(): UpdateState
  dispose(): void
}

/**
 * Updates from an address that the user chose: each step is one that somebody asked for, and without an address there is no request at all.
 * Another address begins anew.
 */
export function createUpdates({ updater, settings, bus, log, now = Date.now }: Options): Updates {
  let feed = settings.get().updateUrl
  const fresh = (): UpdateState => ({
    on: feed !== '',
    can: updater === null ? 'nothing' : updater.canInstall ? 'install' : 'tell',
    phase: 'idle',
    release: null,
    received: 0,
    total: 0,
    checkedAt: null,
    error: null,
  })
  let state = fresh()
  let step: AbortController | null = null

  function set(change: Partial<UpdateState>): UpdateState {
    state = { ...state, ...change }
    bus.publish('updates.changed', state)
    return state
  }

  /** Runs one step. Once it was cancelled, its outcome no longer counts. */
  function run(
    during: Partial<UpdateState>,
    work: (signal: AbortSignal) => Promise<Partial<UpdateState>>,
  ): UpdateState {
    const before = state.phase
    const own = new AbortController()
    step = own
    const started = set({ ...during, error: null })
    void work(own.signal)
      .catch((error: unknown) => {
        if (!own.signal.aborted) log.warn('an update failed', { reason: describeError(error) })
        return { phase: before, error: toWireError(error) }
      })
      .then((after) => {
        if (own.signal.aborted) return
        step = null
        set(after)
      })
    return started
  }

  function end(): void {
    step?.abort()
    step = null
  }

  const unsubscribe = bus.subscribe(({ topic }) => {
    if (topic !== 'settings.changed' || settings.get().updateUrl === feed) return
    feed = settings.get().updateUrl
    end()
    set(fresh())
  })

  function ready(): Updater {
    if (updater === null)
      throw createRefusedError('UPDATE_NOT_HERE', 'This way of running the program does not update itself.')
    if (feed === '') throw createRefusedError('UPDATE_OFF', 'No address for updates is set.')
    return updater
  }

  function found(phase: UpdateState['phase']): Updater {
    const one = ready()
    if (state.phase !== phase || !one.canInstall)
      throw createRefusedError('UPDATE_NONE', 'There is no update to continue with.')
    return one
  }

  return {
    state: () => state,
    check() {
      const one = ready()
      if (step !== null) return state
      return run({ phase: 'checking', release: null }, async () => {
        const release = await one.check(feed)
        return { phase: release === null ? 'current' : 'available', release, checkedAt: now() }
      })
    },
    download() {
      const one = found('available')
      return run({ phase: 'downloading', received: 0, total: 0 }, async (signal) => {
        await one.download((received, total) => {
          if (!signal.aborted) set({ received, total })
        }, signal)
        return { phase: 'ready' }
      })
    },
    cancel() {
      if (state.phase !== 'checking' && state.phase !== 'downloading') return state
      const phase = state.phase === 'checking' ? 'idle' : 'available'
      end()
      return set({ phase })
    },
    install() {
      const one = found('ready')
      return run({ phase: 'installing' }, async () => {
        await one.install()
        return {}
      })
    },
    dispose() {
      unsubscribe()
      end()
    },
  }
}
