import { computed, shallowRef, type Ref } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import { setSubtree } from '../../model/tree/expand.ts'
import { copyText } from '../../components/clipboard.ts'
import type { MenuItem } from '../../components/menu.ts'
import { useCardWrites } from '../../panes/write/card-writes.ts'
import { useTree } from '../../stores/tree.ts'
import { hostLink } from '../../model/cards/host-link.ts'
import { pathText } from './node-text.ts'

/** What can be done with one card, from its row or its menu. */
export function useNodeActions(selected: Ref<number>, jump: (node: number) => void, rename: (node: number) => void) {
  const { t } = useI18n()
  const router = useRouter()
  const tree = useTree()
  const writesOf = useCardWrites()
  const menu = shallowRef<{ node: number; x: number; y: number } | null>(null)

  const copyNoteid = (node: number): void => void copyText(tree.forest.noteid(node))

  function openCard(node: number): void {
    const topicid = tree.key?.topicid
    const path = `/notes/${encodeURIComponent(tree.forest.noteid(node))}`
    void router.push({ path, query: topicid ? { topicid } : {} })
  }

  function openSubtree(node: number, open: boolean): void {
    setSubtree(tree.forest, node, open)
    tree.refresh()
  }

  const items = computed<readonly MenuItem[]>(() => {
    const node = menu.value?.node ?? selected.value
    if (node < 0) return []
    return [
      { id: 'open-card', label: t('tree.openCard'), run: () => openCard(node) },
      { id: 'rename', label: t('tree.rename'), run: () => rename(node) },
      { id: 'copy-noteid', label: t('tree.copyNoteid'), run: () => copyNoteid(node) },
      { id: 'copy-path', label: t('tree.copyPath'), run: () => void copyText(pathText(tree.forest, node)) },
      { id: 'copy-link', label: t('tree.copyLink'), run: () => void copyText(hostLink(tree.forest.noteid(node))) },
      { id: 'open', label: t('tree.expandSubtree'), run: () => openSubtree(node, true) },
      { id: 'close', label: t('tree.collapseSubtree'), run: () => openSubtree(node, false) },
      ...writesOf(tree.forest.noteid(node), tree.key?.topicid ?? null).map((item, at) => ({
        ...item,
        separated: at === 0,
      })),
    ]
  })

  /** At the pointer or, from the keyboard, at the row itself. */
  function openMenu(node: number, event: MouseEvent): void {
    jump(node)
    menu.value = { node, x: event.clientX, y: event.clientY }
  }

  return { menu, items, copyNoteid, openCard, openMenu, closeMenu: () => void (menu.value = null) }
}
