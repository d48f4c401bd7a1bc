import type { Recording } from '../services/recording/recording.ts'
import type { Handlers } from './types.ts'

/** The listener for other clients: each method to one call of the service. */
export function recordingHandlers(
  recording: Recording,
): Pick<Handlers, Extract<keyof Handlers, `recording.${string}`>> {
  return {
    'recording.get': () => recording.state(),
    'recording.start': (options) => recording.start(options),
    'recording.name': ({ label }) => recording.name(label),
    'recording.stop': () => recording.stop(),
  }
}
