import { computed, type ComputedRef } from 'vue'
import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import { createBarScale } from '../../components/charts/bar-scale.ts'
import { findBurst, findBursts, MIN_SCALE_MS } from '../../model/traffic/bursts.ts'
import { computeTimeSpan } from '../../model/traffic/exchange-phases.ts'
import { useExchangeTexts } from '../exchange-texts.ts'

/** The part of an exchange that a waterfall shows; pending exchanges have it too. */
export type WaterfallRow = Pick<ExchangeRow, 'id' | 'startedAt' | 'durationMs' | 'timing' | 'state'>

/** The time that the width of a waterfall's cell stands for. */
export interface WaterfallScale {
  /** Epoch milliseconds. */
  readonly start: number
  readonly lengthMs: number
  readonly count: number
  /** True if the time is that of the selected rows instead of a burst. */
  readonly isSelection: boolean
}

export interface Waterfall {
  /** Returns null for a row outside the time of the selected rows. */
  getScale(row: WaterfallRow): WaterfallScale | null
  /** Returns true if the row above belongs to another burst. */
  isHead(row: WaterfallRow): boolean
  /** Returns the duration as a share of the longest one in view, from 0 to 1. */
  getDurationShare(durationMs: number | null): number
  readonly formatDuration: (durationMs: number) => string
}

interface WaterfallSource {
  /** The rows in view and next to it, in their order. */
  readonly rows: () => readonly WaterfallRow[]
  /** The durations in view, in milliseconds. */
  readonly visibleDurations: () => readonly (number | null)[]
  readonly selectedRows: () => readonly WaterfallRow[]
  readonly currentTime: () => number
}

/** A row is placed in its burst of exchanges or, if several are selected, in their time. */
export function useWaterfall(source: WaterfallSource): ComputedRef<Waterfall> {
  const { formatDuration } = useExchangeTexts()
  const getNow = (rows: readonly WaterfallRow[]): number =>
    rows.some(({ durationMs }) => durationMs === null) ? source.currentTime() : 0

  const scales = computed<readonly WaterfallScale[]>(() => {
    const selected = source.selectedRows()
    const span = selected.length > 1 ? computeTimeSpan(selected, getNow(selected)) : null
    if (span !== null) {
      const lengthMs = Math.max(MIN_SCALE_MS, span[1] - span[0])
      return [{ start: span[0], lengthMs, count: selected.length, isSelection: true }]
    }
    const rows = source.rows()
    return findBursts(rows, getNow(rows)).map(({ start, end, count }) => ({
      start,
      lengthMs: Math.max(MIN_SCALE_MS, end - start),
      count,
      isSelection: false,
    }))
  })
  const bursts = computed(() => scales.value.map((scale) => ({ ...scale, scale, end: scale.start + scale.lengthMs })))
  const getScale = (row: WaterfallRow): WaterfallScale | null => {
    const [first] = scales.value
    if (!first?.isSelection) return findBurst(bursts.value, row.startedAt)?.scale ?? null
    const end = row.startedAt + (row.durationMs ?? source.currentTime() - row.startedAt)
    return end < first.start || row.startedAt > first.start + first.lengthMs ? null : first
  }
  const headIds = computed(() => {
    const rows = source.rows()
    const heads = rows.filter((row, index) => {
      const above = rows[index - 1]
      return above !== undefined && getScale(above) !== getScale(row)
    })
    return new Set(heads.map(({ id }) => id))
  })
  const toShare = computed(() => createBarScale(source.visibleDurations()))

  return computed(() => {
    const getDurationShare = toShare.value
    const ids = headIds.value
    return {
      getScale,
      isHead: ({ id }) => ids.has(id),
      getDurationShare,
      formatDuration,
    }
  })
}
