import { computed, type ComputedRef } from 'vue'
import { formatRgba } from '../model/format/color.ts'
import { useSwatches } from './swatches.ts'
import { useTree } from './tree.ts'
import { useTreeDetails } from './tree-details.ts'

/** The colors of the open tree's palette as CSS, by level. */
export function useLevelColors(): ComputedRef<ReadonlyMap<number, string>> {
  const tree = useTree()
  const details = useTreeDetails()
  /** The palette is read once there is a color to show. */
  const { colors } = useSwatches(() => (details.readCount > 0 ? (tree.key?.topicid ?? null) : null))
  return computed(() => {
    const levelColors = colors.value.map(({ colorIndex, displayColor }) => [colorIndex, formatRgba(displayColor.rgba)])
    // The first color of a level counts.
    return new Map(levelColors.reverse() as [number, string][])
  })
}

/** CSS colors of the open tree's cards; null without a color or if it was not read. */
export function useNodeColor(): (node: number) => string | null {
  const details = useTreeDetails()
  const levelColors = useLevelColors()
  return (node) => levelColors.value.get(details.marks.get(node)?.colorIndex ?? -1) ?? null
}
