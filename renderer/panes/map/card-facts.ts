import { useI18n } from 'vue-i18n'
import { useTree } from '../../stores/tree.ts'

/** What the picture shows of a card besides its title and what was read of it. */
export function useCardFacts(): (node: number, isCurrent: boolean) => readonly string[] {
  const { t, n } = useI18n()
  const tree = useTree()
  return (node, isCurrent) => {
    const { forest, filter } = tree
    const childCount = forest.getChildCount(node)
    return [
      ...(childCount > 0 ? [t('map.children', { n: n(childCount) }, childCount)] : []),
      ...(forest.isSubMap(node) ? [t('tree.subMap')] : []),
      ...(forest.hasProblem(node) ? [t('tree.problemBadge')] : []),
      ...(filter?.marks[node] === 2 ? [t('map.legend.match')] : []),
      ...(isCurrent ? [t('map.legend.current')] : []),
    ]
  }
}
