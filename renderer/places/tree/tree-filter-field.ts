import { useEventListener, useThrottleFn } from '@vueuse/core'
import { computed, ref, shallowRef, watch, type Ref } from 'vue'
import { foldText } from '../../../shared/format/text-folding.ts'
import { useTree } from '../../stores/tree.ts'
import { defineStore } from 'pinia'

/** The filter text per study set, kept until the page is reloaded. */
const useTreeFilters = defineStore('tree-filters', () => {
  const texts = shallowRef<ReadonlyMap<string, string>>(new Map())

  /** Returns the filter text of the study set that `topicid` names at the time. */
  function useFilterText(topicid: Ref<string>) {
    return computed({
      get: () => texts.value.get(topicid.value) ?? '',
      set: (text: string) => (texts.value = new Map([...texts.value, [topicid.value, text]])),
    })
  }

  return { useFilterText }
})

/** Minimum time between two runs of the filter while cards arrive. */
const REAPPLY_INTERVAL_MS = 1_000

/**
 * The filter field of a study set: the matches with their ancestors, and steps from match to match.
 * @param jump selects a card and scrolls it into view.
 * @param reveal brings the selected card back into view. It is called after the filter was cleared,
 *   and after the filter of an earlier visit was reapplied; both move the card.
 */
export function useTreeFilterField(topicid: Ref<string>, jump: (node: number) => void, reveal: () => void) {
  const tree = useTree()
  const filterText = useTreeFilters().useFilterText(topicid)
  const matches = shallowRef<Uint32Array | null>(null)
  /** Position among the matches, from 0; -1 before the first step. */
  const matchIndex = ref(-1)
  const highlight = computed(() => foldText(filterText.value.trim()))

  /** True after the user has returned to a study set that has a filter, until it is reapplied. */
  let isReturning = filterText.value !== ''
  watch(topicid, () => (isReturning = filterText.value !== ''))

  /** With `keepsMatch`, the current match stays the current one among the new matches. */
  async function apply(keepsMatch: boolean): Promise<void> {
    const searchedText = filterText.value
    const node = keepsMatch ? matches.value?.[matchIndex.value] : undefined
    const foundNodes = await tree.search(searchedText)
    if (searchedText !== filterText.value || (foundNodes === null && searchedText.trim() !== '')) return
    const isCleared = matches.value !== null && foundNodes === null
    matches.value = foundNodes
    matchIndex.value = node === undefined || !foundNodes ? -1 : foundNodes.indexOf(node)
    if (isCleared || (foundNodes && isReturning)) reveal()
    // Until all cards are loaded, the filter may hide every row for a moment and lose the position.
    if (foundNodes && tree.status !== 'loading') isReturning = false
  }

  let isSearching = false
  /** Searches do not overlap. Text that is typed during a search is searched for right after it. */
  async function applyTyped(): Promise<void> {
    if (isSearching) return
    isSearching = true
    try {
      for (let searchedText = ''; filterText.value !== searchedText;) {
        searchedText = filterText.value
        await apply(false)
      }
    } finally {
      isSearching = false
    }
  }

  const reapply = useThrottleFn(() => apply(true), REAPPLY_INTERVAL_MS, true)
  watch(filterText, () => void (filterText.value === '' ? apply(false) : applyTyped()))
  // The store still holds the filter of the last visit.
  void apply(false)
  watch(
    () => [tree.status, tree.key],
    () => void (filterText.value !== '' && apply(true)),
  )
  watch(
    () => tree.loadedCount,
    () => void (filterText.value !== '' && reapply()),
  )

  function stepMatch(delta: 1 | -1): void {
    const foundNodes = matches.value
    if (!foundNodes || foundNodes.length === 0) return
    matchIndex.value =
      matchIndex.value < 0
        ? delta > 0
          ? 0
          : foundNodes.length - 1
        : (matchIndex.value + delta + foundNodes.length) % foundNodes.length
    const node = foundNodes[matchIndex.value]
    if (node !== undefined) jump(node)
  }

  useEventListener(window, 'keydown', (event) => {
    if (event.key !== 'F3' || event.defaultPrevented) return
    event.preventDefault()
    stepMatch(event.shiftKey ? -1 : 1)
  })

  /** Selects a card and, if the filter hides it, clears the filter first. */
  function jumpClearingFilter(node: number): void {
    if (tree.filter && (tree.filter.marks[node] ?? 0) === 0) {
      filterText.value = ''
      void tree.search('')
    }
    jump(node)
  }

  return { text: filterText, matches, matchIndex, highlight, stepMatch, jumpClearingFilter }
}
