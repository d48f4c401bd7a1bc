import { isMovable, fitsRow, templateOf } from '../../../shared/bridge/capabilities.ts'
import { endpointById, findEndpoint } from '../../../shared/bridge/endpoints/index.ts'
import { refused } from '../../../shared/errors.ts'

/**
 * The paths that a person set for rows of the table, in the table's form; empty ones are left out. Throws `ROUTE_PATH_INVALID` for what is no
 * plain path, has other placeholders than the row, belongs to a row that gives a token away, or to one that does not just read: a path must not
 * make a write of a read.
 */
export function checkedPaths(paths: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = {}
  for (const [id, typed] of Object.entries(paths)) {
    const path = typed.trim()
    if (path === '') continue
    const row = endpointById(id)
    const there = findEndpoint('GET', templateOf(path).replace(/\{[^{}]*\}/g, 'x')).endpoint
    if (!row || !isMovable(row) || !fitsRow(row, path) || there?.secret === true) {
      const name = row ? `${row.method} ${row.path}` : id
      throw refused('ROUTE_PATH_INVALID', `"${path}" cannot be the path of ${name}.`, { path, name })
    }
    checked[id] = templateOf(path)
  }
  return checked
}

/** Of what was written down, what is still good. */
export function usablePaths(paths: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(paths).filter(([id, path]) => {
      try {
        return checkedPaths({ [id]: path })[id] === path
      } catch {
        return false
      }
    }),
  )
}
