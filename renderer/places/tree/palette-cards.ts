import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import { foldText } from '../../../shared/format/text-folding.ts'
import { toSingleLine } from '../../components/text-truncation.ts'
import { usePaletteSources, type PaletteItem } from '../../stores/palette.ts'
import { useTree } from '../../stores/tree.ts'
import { useTreeDetails } from '../../stores/tree-details.ts'

const MAX_PALETTE_CARDS = 20
const NO_FILTERS = new Set<never>()

/** Cards of the open tree for the palette, also later: the tree stays in memory. */
export function usePaletteCards(): void {
  const { t } = useI18n()
  const router = useRouter()
  const tree = useTree()
  const details = useTreeDetails()

  function toItem(node: number): PaletteItem {
    const { forest } = tree
    const noteid = forest.getNoteid(node)
    const parent = forest.getParent(node)
    const { topicid = '', root = '', sort = '' } = tree.key ?? {}
    return {
      id: noteid,
      title: forest.formatTitle(node, t('common.untitled')),
      detail: parent < 0 ? '' : toSingleLine(forest.formatTitle(parent, '')),
      run: () =>
        void router.push({
          path: `/study-sets/${encodeURIComponent(topicid)}/tree`,
          query: { ...(root ? { root } : {}), ...(sort ? { sort } : {}), note: noteid },
        }),
    }
  }

  usePaletteSources().register({
    id: 'tree-cards',
    titleKey: 'palette.treeCards',
    items: () => [],
    async find(query) {
      const titleMatches = await tree.findCards(query, MAX_PALETTE_CARDS)
      if (titleMatches === null) return []
      const nodes = details.refineMatches(titleMatches, foldText(query), NO_FILTERS) ?? []
      return [...nodes.slice(0, MAX_PALETTE_CARDS)].filter((node) => node < tree.forest.count).map(toItem)
    },
  })
}
