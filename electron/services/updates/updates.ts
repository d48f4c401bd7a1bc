// Checks for a newer release of the program, downloads it and starts its installer.
// The updater itself comes from Electron; updater.ts has only its interface.
// Read this file first, then updater.ts.
import { createRefusedError, toWireError } from '../../../shared/errors.ts'
import type { UpdateState } from '../../../shared/ipc/updates.ts'
import type { Bus } from '../bus.ts'
import { describeError, type Log } from '../files/log.ts'
import type { SettingsService } from '../settings/settings.ts'
import type { Updater } from './updater.ts'
import { NodeAbortController } from '../../core/node-abort.ts'

interface Options {
  readonly updater: Updater | null
  readonly settings: Pick<SettingsService, 'get'>
  readonly bus: Bus
  readonly log: Log
  readonly now?: () => number
}

export interface Updates {
  state(): UpdateState
  /** @throws UPDATE_NOT_HERE where the program does not update itself, UPDATE_OFF */
  check(): UpdateState
  /** Starts the download of the available release. @throws UPDATE_NONE when there is none */
  download(): UpdateState
  cancel(): UpdateState
  /** @throws UPDATE_NONE when nothing was downloaded */
  install(): UpdateState
  dispose(): void
}

/** Updates come from an address that the user chose; without one, nothing is requested. */
export function createUpdates({ updater, settings, bus, log, now = Date.now }: Options): Updates {
  let feed = settings.get().updateUrl
  const createInitialState = (): UpdateState => ({
    on: feed !== '',
    can: updater === null ? 'nothing' : updater.canInstall ? 'install' : 'tell',
    phase: 'idle',
    release: null,
    received: 0,
    total: 0,
    checkedAt: null,
    error: null,
  })
  let state = createInitialState()
  let activeStep: AbortController | null = null

  function setState(change: Partial<UpdateState>): UpdateState {
    state = { ...state, ...change }
    bus.publish('updates.changed', state)
    return state
  }

  /** Runs one step. The outcome of a cancelled step is ignored. */
  function run(
    change: Partial<UpdateState>,
    work: (signal: AbortSignal) => Promise<Partial<UpdateState>>,
  ): UpdateState {
    const previousPhase = state.phase
    const abort = new NodeAbortController()
    activeStep = abort
    const started = setState({ ...change, error: null })
    void work(abort.signal)
      .catch((error: unknown) => {
        if (!abort.signal.aborted) log.warn('an update failed', { reason: describeError(error) })
        return { phase: previousPhase, error: toWireError(error) }
      })
      .then((outcome) => {
        if (abort.signal.aborted) return
        activeStep = null
        setState(outcome)
      })
    return started
  }

  function cancelStep(): void {
    activeStep?.abort()
    activeStep = null
  }

  const unsubscribe = bus.on('settings.changed', () => {
    if (settings.get().updateUrl === feed) return
    feed = settings.get().updateUrl
    cancelStep()
    setState(createInitialState())
  })

  function getUpdater(): Updater {
    if (updater === null)
      throw createRefusedError('UPDATE_NOT_HERE', 'This way of running the program does not update itself.')
    if (feed === '') throw createRefusedError('UPDATE_OFF', 'No address for updates is set.')
    return updater
  }

  function getUpdaterInPhase(phase: UpdateState['phase']): Updater {
    const activeUpdater = getUpdater()
    if (state.phase !== phase || !activeUpdater.canInstall)
      throw createRefusedError('UPDATE_NONE', 'There is no update to continue with.')
    return activeUpdater
  }

  return {
    state: () => state,
    check() {
      const activeUpdater = getUpdater()
      if (activeStep !== null) return state
      return run({ phase: 'checking', release: null }, async () => {
        const release = await activeUpdater.check(feed)
        return { phase: release === null ? 'current' : 'available', release, checkedAt: now() }
      })
    },
    download() {
      const activeUpdater = getUpdaterInPhase('available')
      return run({ phase: 'downloading', received: 0, total: 0 }, async (signal) => {
        await activeUpdater.download((received, total) => {
          if (!signal.aborted) setState({ received, total })
        }, signal)
        return { phase: 'ready' }
      })
    },
    cancel() {
      if (state.phase !== 'checking' && state.phase !== 'downloading') return state
      const phase = state.phase === 'checking' ? 'idle' : 'available'
      cancelStep()
      return setState({ phase })
    },
    install() {
      const activeUpdater = getUpdaterInPhase('ready')
      return run({ phase: 'installing' }, async () => {
        await activeUpdater.install()
        return {}
      })
    },
    dispose() {
      unsubscribe()
      cancelStep()
    },
  }
}
