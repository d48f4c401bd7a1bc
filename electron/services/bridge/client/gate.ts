import { accessOf } from './access.ts'
import type { Endpoint } from '../../../../shared/bridge/endpoint.ts'
import { refused, type AppError } from '../../../../shared/errors.ts'

/** Guards the page's reads: refuses everything that is not a read, whatever the page thinks it is. */
export function assertRead(endpoint: Endpoint, body?: unknown): void {
  if (accessOf(endpoint, body) !== 'read') {
    throw refused('NOT_A_READ', `${endpoint.method} ${endpoint.path} changes something and cannot be sent as a read.`, {
      endpoint: endpoint.id,
    })
  }
}

/** Guards every request: a read-only profile sends only reads. Pairing creates the profile, so it has none to check. */
export function assertUnlocked(endpoint: Endpoint, isReadOnly: boolean, body?: unknown): void {
  if (accessOf(endpoint, body) === 'read' || endpoint.pairs) return
  if (isReadOnly) throw readOnly(endpoint)
}

/** The error for a write through a read-only profile. */
export const readOnly = (endpoint: Endpoint): AppError =>
  refused('READ_ONLY', `The profile is read-only: ${endpoint.method} ${endpoint.path} was not sent.`, {
    endpoint: endpoint.id,
  })
