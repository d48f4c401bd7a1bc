import type { RouteLocationRaw } from 'vue-router'
import { schemaSideSchema, type SchemaSide } from '../../../shared/ipc/contract-schemas.ts'

export function toComparisonLocation(before: SchemaSide, after: SchemaSide): RouteLocationRaw {
  return {
    path: '/contract/compare',
    query: { before: JSON.stringify(before), after: JSON.stringify(after) },
  }
}

/** Reads a side from an address; `fallback` if it has none. */
export function parseSide(text: unknown, fallback: SchemaSide): SchemaSide {
  try {
    return schemaSideSchema.parse(JSON.parse(String(text)))
  } catch {
    return fallback
  }
}
