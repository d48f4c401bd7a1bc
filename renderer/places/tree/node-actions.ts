import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import { setSubtreeExpanded } from '../../model/tree/expansion.ts'
import { copyText } from '../../components/clipboard.ts'
import type { RowMenuItem } from '../../components/menu-item.ts'
import { useTree } from '../../stores/tree.ts'
import { useTreeChanges } from '../../stores/tree-changes.ts'
import { buildHostLink } from '../../model/cards/host-link.ts'
import { formatNodePath } from './node-path.ts'
import type { EndpointId } from '../../../shared/bridge/endpoints/index.ts'
import { useOperations } from '../../stores/operations.ts'
import { getCardFieldValues } from '../../panes/write/card-field-values.ts'
import { useWriteTitle } from '../../panes/write/write-title.ts'

/** The most frequent writes to a card; the menu of the card itself lists all of them. */
const MENU_WRITES: readonly EndpointId[] = [
  'notes.title',
  'notes.hashtags',
  'notes.metadata',
  'notes.blankBands',
  'notes.practiceVerdict',
  'writing.sessionFocusBegin',
  'writing.sessionReserve',
  'writing.sessionPause',
  'writing.pencilCommit',
  'notes.focus',
]

/** Each item opens the write sheet with the known values filled in, and sends nothing itself. */
function useCardWrites(): (noteid: string, topicid: string | null) => readonly RowMenuItem[] {
  const operations = useOperations()
  const titleOf = useWriteTitle()
  return (noteid, topicid) =>
    MENU_WRITES.map((id) => ({
      id,
      label: titleOf(id),
      run: () => operations.compose(id, getCardFieldValues(noteid, topicid)),
    }))
}

/** Actions for a card's row and its context menu; `rename` starts editing the title. */
export function useNodeActions(rename: (node: number) => void) {
  const { t } = useI18n()
  const router = useRouter()
  const tree = useTree()
  const changes = useTreeChanges()
  const getCardWrites = useCardWrites()

  const copyNoteid = (node: number): void => void copyText(tree.forest.getNoteid(node))

  function openCard(node: number): void {
    const topicid = tree.key?.topicid
    const path = `/notes/${encodeURIComponent(tree.forest.getNoteid(node))}`
    void router.push({ path, query: topicid ? { topicid } : {} })
  }

  function openSubtree(node: number, isExpanded: boolean): void {
    setSubtreeExpanded(tree.forest, node, isExpanded)
    tree.refresh()
  }

  const listMenuItems = (node: number): readonly RowMenuItem[] => {
    const noteid = tree.forest.getNoteid(node)
    const changesAddress = changes.getTone(node) === 'none' ? null : changes.getAddress(noteid)
    return [
      { id: 'open-card', label: t('tree.openCard'), run: () => openCard(node) },
      ...(changesAddress
        ? [{ id: 'show-change', label: t('tree.changes.show'), run: () => void router.push(changesAddress) }]
        : []),
      { id: 'rename', label: t('tree.rename'), run: () => rename(node) },
      { id: 'copy-noteid', label: t('tree.copyNoteid'), readText: () => noteid },
      { id: 'copy-path', label: t('tree.copyPath'), readText: () => formatNodePath(tree.forest, node) },
      { id: 'copy-link', label: t('tree.copyLink'), readText: () => buildHostLink(noteid) },
      { id: 'open', label: t('tree.expandSubtree'), run: () => openSubtree(node, true) },
      { id: 'close', label: t('tree.collapseSubtree'), run: () => openSubtree(node, false) },
      ...getCardWrites(noteid, tree.key?.topicid ?? null).map((item, index) => ({
        ...item,
        hasSeparator: index === 0,
      })),
    ]
  }

  return { copyNoteid, openCard, listMenuItems }
}
