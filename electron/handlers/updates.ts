import type { Updates } from '../services/updates/updates.ts'
import type { Handlers } from './types.ts'

/** Updates: each method to one step of the service. */
export function updateHandlers(updates: Updates): Pick<Handlers, Extract<keyof Handlers, `updates.${string}`>> {
  return {
    'updates.get': () => updates.state(),
    'updates.check': () => updates.check(),
    'updates.download': () => updates.download(),
    'updates.cancel': () => updates.cancel(),
    'updates.install': () => updates.install(),
  }
}
