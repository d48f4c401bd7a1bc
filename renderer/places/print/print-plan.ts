import { isObject } from '../../../shared/json/object.ts'
import type { ResponseOf } from '../../../shared/bridge/endpoints/index.ts'

/** A page of a print plan, as far as the host says what is on it. */
export interface PlannedPage {
  readonly index: number
  readonly kind: string
  readonly noteids: readonly string[]
  readonly depth: number | null
  /** Which part of how many, where a page is cut out of a larger drawing. */
  readonly slice: { readonly index: number; readonly count: number } | null
}

type Plan = ResponseOf<'studySets.printPreview'>

/**
 * The pages of a plan; `mode` and `density` come from the question, never from here: the host alone
 * plans (observed-0.49 §3).
 */
export const toPlannedPages = ({ pages = [] }: Plan): readonly PlannedPage[] =>
  pages.map(({ kind = '', visibleNoteIds = [], visibleDepth, sliceIndex, sliceCount }, index) => ({
    index,
    kind,
    noteids: visibleNoteIds,
    depth: visibleDepth ?? null,
    slice: sliceCount !== undefined && sliceCount > 1 ? { index: sliceIndex ?? 0, count: sliceCount } : null,
  }))

/** Whether the paper lies on its long side; upright where the host does not say it. */
export function isLandscape({ exportOptions }: Plan): boolean {
  if (typeof exportOptions !== 'object' || exportOptions === null) return false
  const sent: unknown = Reflect.get(exportOptions, 'orientation') ?? Reflect.get(exportOptions, 'landscape')
  return sent === true || sent === 'landscape'
}

/** Sentences of the host's warnings; whether these are texts or objects is not documented. */
export function parseWarnings(plan: Plan): readonly string[] {
  const sent: unknown = plan['warnings']
  if (!Array.isArray(sent)) return []
  return (sent as unknown[]).map((one) => {
    if (typeof one === 'string') return one
    const message = isObject(one) ? one['message'] : null
    return typeof message === 'string' ? message : JSON.stringify(one)
  })
}
