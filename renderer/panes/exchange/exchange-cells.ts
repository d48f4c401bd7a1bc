// Cells that every list of exchanges has. They are functions, because scrolling makes many of them.

import { h, type VNode } from 'vue'
import BarCount from '../../components/charts/BarCount.vue'
import WaterfallBar from './WaterfallBar.vue'
import type { Waterfall, WaterfallRow } from './waterfall.ts'

interface DurationProps {
  readonly durationMs: number | null | undefined
  readonly waterfall: Waterfall
}

export function DurationCell({ durationMs, waterfall }: DurationProps): VNode | null {
  if (durationMs === null || durationMs === undefined) return null
  return h(BarCount, {
    length: waterfall.getDurationShare(durationMs),
    text: waterfall.formatDuration(durationMs),
  })
}
DurationCell.props = ['durationMs', 'waterfall']

interface WaterfallProps {
  readonly row: WaterfallRow | undefined
  readonly waterfall: Waterfall
  /** Epoch milliseconds; only for an exchange that has not ended. */
  readonly currentTime: number
  /** False if rows stand in an order in which a scale has no first one. */
  readonly hasHeads: boolean
}

export function WaterfallCell({ row, waterfall, currentTime, hasHeads }: WaterfallProps): VNode | null {
  const scale = row && waterfall.getScale(row)
  if (!scale) return null
  return h(WaterfallBar, {
    row,
    scale,
    isHead: hasHeads && waterfall.isHead(row),
    currentTime,
  })
}
WaterfallCell.props = { row: Object, waterfall: Object, currentTime: Number, hasHeads: Boolean }
