import { createRefusedError, type AppError } from '../../shared/errors.ts'
import type { Recordings } from '../services/recordings/recordings.ts'
import type { Handlers } from './ipc-dispatcher.ts'

export function createRecordingsHandlers(
  recordings: Recordings,
): Pick<Handlers, Extract<keyof Handlers, `recordings.${string}`>> {
  const refuse = (): never => {
    throw createUnavailableError()
  }
  return {
    'recordings.list': () => ({ recordings: recordings.list() }),
    'recordings.forget': async (input) => {
      await recordings.forget(input)
      return {}
    },
    'recordings.slice': (input) => recordings.readSlice(input),
    'recordings.current': () => ({ open: null }),
    'recordings.preview': refuse,
    'recordings.save': refuse,
    'recordings.info': refuse,
    'recordings.verify': refuse,
    'recordings.redact': refuse,
    'recordings.serve': refuse,
    'recordings.stopServing': refuse,
    'recordings.open': refuse,
    'recordings.close': refuse,
    'recordings.choose': refuse,
    'recordings.reveal': refuse,
  }
}

const createUnavailableError = (): AppError =>
  createRefusedError('RECORDING_UNAVAILABLE', 'Recordings are not available in this way to run.')
