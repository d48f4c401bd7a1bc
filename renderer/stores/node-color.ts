import { formatRgba } from '../model/format/color.ts'
import { useSwatches } from './swatches.ts'
import { useTree } from './tree.ts'
import { useTreeDetails } from './tree-details.ts'

/**
 * Returns a function that returns the color of a card of the open tree as CSS; null if the card has
 * no color or was not read.
 */
export function useNodeColor(): (node: number) => string | null {
  const tree = useTree()
  const details = useTreeDetails()
  /** The palette is read once there is a color to show. */
  const { colorOf } = useSwatches(() => (details.readCount > 0 ? (tree.key?.topicid ?? null) : null))
  return (node) => {
    const color = colorOf(details.marks.get(node)?.colorIndex ?? null)
    return color && formatRgba(color.displayColor.rgba)
  }
}
