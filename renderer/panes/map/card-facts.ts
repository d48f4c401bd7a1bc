import { useI18n } from 'vue-i18n'
import { toSingleLine } from '../../components/text-truncation.ts'
import { useSubMapRoots } from '../../stores/sub-maps.ts'
import { useTree } from '../../stores/tree.ts'

/** Describes the picture of a card, and what was read of it, besides its title. */
export function useCardFacts(): (node: number, isCurrent: boolean) => readonly string[] {
  const { t, n } = useI18n()
  const tree = useTree()
  const subMapRoots = useSubMapRoots()
  /** The root of the innermost sub-map around a card. */
  const findSubMap = (node: number): number | undefined =>
    subMapRoots.nodes.length === 0
      ? undefined
      : tree.forest.getPath(node).findLast((other) => other !== node && subMapRoots.nodes.includes(other))
  return (node, isCurrent) => {
    const { forest, filter } = tree
    const childCount = forest.getChildCount(node)
    const subMap = findSubMap(node)
    return [
      ...(childCount > 0 ? [t('map.children', { n: n(childCount) }, childCount)] : []),
      ...(subMap === undefined
        ? []
        : [t('map.inSubMap', { title: toSingleLine(forest.formatTitle(subMap, t('common.untitled'))) })]),
      ...(forest.isSubMap(node) ? [t('tree.subMap')] : []),
      ...(forest.hasProblem(node) ? [t('tree.problemBadge')] : []),
      ...(filter?.marks[node] === 2 ? [t('map.legend.match')] : []),
      ...(isCurrent ? [t('map.legend.current')] : []),
    ]
  }
}
