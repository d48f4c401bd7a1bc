import { isObject } from '../../../shared/json/object.ts'
import type { z } from 'zod'
import { segmentSchema, type Outline } from '../../../shared/bridge/resources/documents.ts'
import { salvage } from '../../../shared/bridge/salvage.ts'

export interface OutlineLine {
  readonly index: number
  /** Undefined if the host sent no title that can be read. */
  readonly title: string | null | undefined
  /** First page; null if the host sends none. */
  readonly page: number | null
  readonly depth: number
}

/** Further lines and deeper segments are not shown. */
const MAX_LINES = 20_000
const MAX_DEPTH = 12

/** Segments in order, nested ones after their parent; hosts send flat lists (observed §4). */
export function flattenOutline(outline: Pick<Outline, 'segments'> | null): readonly OutlineLine[] {
  const lines: OutlineLine[] = []
  const stack = [...(outline?.segments ?? [])].reverse().map((segment) => ({ segment, depthInTree: 0 }))
  for (let item = stack.pop(); item && lines.length < MAX_LINES; item = stack.pop()) {
    const { segment, depthInTree } = item
    const depth = Math.max(0, Math.min(MAX_DEPTH, segment.level ?? depthInTree))
    lines.push({ index: lines.length, title: segment.title, page: segment.startPage ?? null, depth })
    const children = (segment.children ?? []).flatMap(toSegments)
    for (const child of children.reverse()) stack.push({ segment: child, depthInTree: depth + 1 })
  }
  return lines
}

function toSegments(child: unknown): z.input<typeof segmentSchema>[] {
  const { value } = salvage(segmentSchema, child)
  return value !== undefined && isObject(value) ? [value] : []
}
