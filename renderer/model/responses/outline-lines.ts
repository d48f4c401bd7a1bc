import { isObject } from '../../../shared/json/object.ts'
import type { z } from 'zod'
import { segmentSchema, type Outline } from '../../../shared/bridge/resources/documents.ts'
import { salvage } from '../../../shared/bridge/salvage.ts'

/** A line of the outline of a document. */
export interface OutlineLine {
  readonly index: number
  readonly title: string
  /** Its first page; null where the host gives none. */
  readonly page: number | null
  /** Levels above it. */
  readonly depth: number
}

/** Most lines, and deepest level, that are shown. */
const MAX_LINES = 20_000
const MAX_DEPTH = 12

/** The segments of an outline in order, nested ones after their parent (observed §4 shows a flat list with `startPage`). */
export function flattenOutline(outline: Pick<Outline, 'segments'> | null): readonly OutlineLine[] {
  const lines: OutlineLine[] = []
  const open = [...(outline?.segments ?? [])].reverse().map((segment) => ({ segment, nested: 0 }))
  for (let next = open.pop(); next && lines.length < MAX_LINES; next = open.pop()) {
    const { segment, nested } = next
    const depth = Math.max(0, Math.min(MAX_DEPTH, segment.level ?? nested))
    lines.push({ index: lines.length, title: segment.title ?? '', page: segment.startPage ?? null, depth })
    const below = (segment.children ?? []).flatMap(segmentOf)
    for (const one of below.reverse()) open.push({ segment: one, nested: depth + 1 })
  }
  return lines
}

function segmentOf(sent: unknown): z.input<typeof segmentSchema>[] {
  const { value } = salvage(segmentSchema, sent)
  return value !== undefined && isObject(value) ? [value] : []
}
