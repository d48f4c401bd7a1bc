import { isObject } from '../../../shared/json/object.ts'
import type { ResponseOf } from '../../../shared/bridge/endpoints/index.ts'

/** A page with the host's facts about its contents. */
export interface PlannedPage {
  readonly index: number
  readonly kind: string
  readonly noteids: readonly string[]
  readonly depth: number | null
  /** Part number and count, if the page is a part of a larger drawing. */
  readonly slice: { readonly index: number; readonly count: number } | null
}

type Plan = ResponseOf<'studySets.printPreview'>

/** The plan's `mode` and `density` are not read: only the host plans (observed-0.49 §3). */
export function toPlannedPages({ pages = [] }: Plan): readonly PlannedPage[] {
  return pages.map(({ kind = '', visibleNoteIds = [], visibleDepth, sliceIndex, sliceCount }, index) => ({
    index,
    kind,
    noteids: visibleNoteIds,
    depth: visibleDepth ?? null,
    slice: sliceCount !== undefined && sliceCount > 1 ? { index: sliceIndex ?? 0, count: sliceCount } : null,
  }))
}

/** False if the host does not send the orientation. */
export function isLandscapePlan({ exportOptions }: Plan): boolean {
  if (typeof exportOptions !== 'object' || exportOptions === null) return false
  const orientation: unknown = Reflect.get(exportOptions, 'orientation') ?? Reflect.get(exportOptions, 'landscape')
  return orientation === true || orientation === 'landscape'
}

/** Reads the warnings of a plan, which may be texts or objects: the contract does not say which. */
export function parsePlanWarnings(plan: Plan): readonly string[] {
  const warnings: unknown = plan['warnings']
  if (!Array.isArray(warnings)) return []
  return (warnings as unknown[]).map((warning) => {
    if (typeof warning === 'string') return warning
    const message = isObject(warning) ? warning['message'] : null
    return typeof message === 'string' ? message : JSON.stringify(warning)
  })
}
