import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { useMapPath } from '../../stores/map-path.ts'
import { useTree } from '../../stores/tree.ts'

interface CallPathTexts {
  /** How many cards the shown calls named, and where those are that have no mark of their own. */
  readonly notes: ComputedRef<readonly string[]>
  /** Returns a description of cards that also says how often calls named them. */
  addTo(describeNode: (node: number) => string): (node: number) => string
}

/** Texts about the cards of the open tree on a path of calls. */
export function useCallPathTexts(): CallPathTexts {
  const { t, n } = useI18n()
  const tree = useTree()
  const path = useMapPath()

  const isVisible = computed(() => {
    const { nodes, length } = tree.rows
    const marks = new Uint8Array(path.current === null ? 0 : tree.forest.count)
    for (let row = 0; row < length; row += 1) marks[nodes[row] ?? 0] = 1
    return marks
  })

  const notes = computed((): string[] => {
    const { current, countsByNode } = path
    if (current === null) return []
    if (current.calls.length === 0) return [t('cardPath.none')]
    const collapsedCount = [...countsByNode.keys()].filter((node) => isVisible.value[node] !== 1).length
    const counts = { outside: current.outsideCount, collapsed: collapsedCount, unread: current.unread }
    const others = (['collapsed', 'outside', 'unread'] as const).filter((kind) => counts[kind] > 0)
    return [
      t('cardPath.named', { n: n(countsByNode.size) }, countsByNode.size),
      ...others.map((kind) => t(`cardPath.${kind}`, { n: n(counts[kind]) })),
      ...(current.isCut ? [t('cardPath.cut', { n: n(current.calls.length) })] : []),
      ...(tree.status === 'loading' ? [t('cardPath.loading')] : []),
    ]
  })

  function formatCounts({ reads, writes }: { readonly reads: number; readonly writes: number }): string {
    return [
      ...(reads > 0 ? [t('cardPath.read', { n: n(reads) }, reads)] : []),
      ...(writes > 0 ? [t('cardPath.written', { n: n(writes) }, writes)] : []),
    ].join(t('common.comma'))
  }

  function describeNode(node: number): string {
    const counts = path.countsByNode.get(node)
    return counts ? formatCounts(counts) : ''
  }

  const addTo: CallPathTexts['addTo'] = (describe) => (node) =>
    [describe(node), describeNode(node)].filter((text) => text !== '').join(t('tree.marks.join'))

  return { notes, addTo }
}
