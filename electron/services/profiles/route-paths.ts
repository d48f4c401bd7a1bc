import { canHaveOtherPath, canServeRow, toPathTemplate } from '../../../shared/bridge/capabilities.ts'
import { findEndpointById, classifyRequest } from '../../../shared/bridge/endpoints/index.ts'
import { createRefusedError } from '../../../shared/errors.ts'

/**
 * Checks the paths that the user set for endpoints, and returns them in the form of the endpoint
 * table without empty ones. A path must not turn a read into a write or reveal a token.
 * @throws ROUTE_PATH_INVALID when a text is not a plain path, has other placeholders than the
 *   endpoint, or belongs to an endpoint that returns a token or does more than read
 */
export function validateRoutePaths(paths: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = {}
  for (const [id, text] of Object.entries(paths)) {
    const path = text.trim()
    if (path === '') continue
    const row = findEndpointById(id)
    const servedRow = classifyRequest('GET', toPathTemplate(path).replace(/\{[^{}]*\}/g, 'x')).endpoint
    if (!row || !canHaveOtherPath(row) || !canServeRow(row, path) || servedRow?.returnsSecret === true) {
      const name = row ? `${row.method} ${row.path}` : id
      throw createRefusedError('ROUTE_PATH_INVALID', `"${path}" cannot be the path of ${name}.`, { path, name })
    }
    checked[id] = toPathTemplate(path)
  }
  return checked
}

/** Drops stored paths that an earlier version accepted but that are no longer valid. */
export function filterValidRoutePaths(paths: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(paths).filter(([id, path]) => {
      try {
        return validateRoutePaths({ [id]: path })[id] === path
      } catch {
        return false
      }
    }),
  )
}
