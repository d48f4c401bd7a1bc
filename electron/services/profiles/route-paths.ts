import { canHaveOtherPath, canServeRow, toPathTemplate } from '../../../shared/bridge/capabilities.ts'
import { findEndpointById, classifyRequest } from '../../../shared/bridge/endpoints/index.ts'
import { createRefusedError } from '../../../shared/errors.ts'

/**
 * The paths that a person set for rows of the table, in the table's form; empty ones are left out. Throws `ROUTE_PATH_INVALID` for what is no
 * plain path, has other placeholders than the row, belongs to a row that gives a token away, or to one that does not just read: a path must not
 * make a write of a read.
 */
export function validateRoutePaths(paths: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = {}
  for (const [id, typed] of Object.entries(paths)) {
    const path = typed.trim()
    if (path === '') continue
    const row = findEndpointById(id)
    const there = classifyRequest('GET', toPathTemplate(path).replace(/\{[^{}]*\}/g, 'x')).endpoint
    if (!row || !canHaveOtherPath(row) || !canServeRow(row, path) || there?.returnsSecret === true) {
      const name = row ? `${row.method} ${row.path}` : id
      throw createRefusedError('ROUTE_PATH_INVALID', `"${path}" cannot be the path of ${name}.`, { path, name })
    }
    checked[id] = toPathTemplate(path)
  }
  return checked
}

/** Of what was written down, what is still good. */
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
