import { computed, type ComputedRef, type Ref } from 'vue'
import { useI18n } from 'vue-i18n'
import { toSingleLine } from '../../components/text-truncation.ts'
import { getGhostIndex } from '../../model/map/map-ghosts.ts'
import type { useMapGhosts } from '../../stores/map-ghosts.ts'
import type { MapPlan } from '../../stores/map.ts'
import { useTree } from '../../stores/tree.ts'
import { useTreeChanges } from '../../stores/tree-changes.ts'
import { useChangeTexts } from '../change-texts.ts'
import type { PointedCard } from './map-pointer.ts'

interface GhostTexts {
  /** How many former places the map shows, and which it does not. */
  readonly notes: ComputedRef<readonly string[]>
  /** Describes a ghost, or a group or a block of them. */
  describe(pointed: PointedCard): { readonly title: string; readonly lines: readonly string[] }
  /** -1 if the tree does not have the card of the ghost. */
  findCard(ghostNode: number): number
}

export function useGhostTexts(
  { ghosts, reading }: ReturnType<typeof useMapGhosts>,
  plan: Readonly<Ref<MapPlan | null>>,
): GhostTexts {
  const { t, n } = useI18n()
  const tree = useTree()
  const changes = useTreeChanges()
  const words = useChangeTexts()
  const getTitle = (node: number): string => toSingleLine(tree.forest.formatTitle(node, t('common.untitled')))
  const getTime = (side: 'before' | 'after'): string => words.formatTime(changes.marks?.[side].endedAt ?? 0)

  const notes = computed((): string[] => {
    const error = reading.error.value
    if (error) return [t('ghosts.failed', { code: error.code ?? error.kind })]
    const reply = ghosts.value
    if (reply === null || reply.ghostCount + reply.uncovered === 0 || plan.value === null) return []
    if (plan.value.projection === 'icicle') return [t('ghosts.inColumns')]
    const placed = plan.value.ghosts
    if (placed === null) return []
    const counts = { ...placed, unread: reply.ghostCount - reply.ghosts.length, uncovered: reply.uncovered }
    const others = (['grouped', 'outside', 'unread', 'uncovered'] as const).filter((kind) => counts[kind] > 0)
    return [
      t('ghosts.drawn', { n: n(placed.drawn) }, placed.drawn),
      ...others.map((kind) => t(`ghosts.${kind}`, { n: n(counts[kind]) })),
    ]
  })

  function findCard(ghostNode: number): number {
    return ghosts.value?.columns.cards[getGhostIndex(ghostNode)] ?? -1
  }

  function describeMove(index: number, node: number): string[] {
    if (node < 0) return [t('ghosts.notLoaded')]
    const parent = tree.forest.getParent(node)
    const formerParent = ghosts.value?.columns.parents[index]
    const place =
      parent === formerParent
        ? t('ghosts.reordered')
        : parent < 0
          ? t('ghosts.movedToTop')
          : t('ghosts.movedTo', { parent: getTitle(parent) })
    return [place, t('ghosts.goTo')]
  }

  function describe({ node, blockSize }: PointedCard): { title: string; lines: string[] } {
    const reply = ghosts.value
    if (blockSize > 0) return { title: t('ghosts.block', { n: n(blockSize) }, blockSize), lines: [] }
    const index = getGhostIndex(node)
    const ghost = reply?.ghosts[index]
    if (!ghost) {
      const group = plan.value?.ghosts?.groups[index - (reply?.ghosts.length ?? 0)]
      const count = group?.count ?? 0
      const text = t('ghosts.group', { n: n(count), time: getTime('before') }, count)
      return { title: group ? getTitle(group.node) : '', lines: [text] }
    }
    return {
      title: toSingleLine(ghost.title) || ghost.noteid,
      lines: [
        t('ghosts.was', { time: getTime('before') }),
        ...(ghost.isRemoved ? [t('ghosts.removed', { time: getTime('after') })] : describeMove(index, findCard(node))),
        ...(ghost.below > 0 ? [t('ghosts.below', { n: n(ghost.below) }, ghost.below)] : []),
      ],
    }
  }

  return { notes, describe, findCard }
}
