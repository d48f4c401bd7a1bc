import { useEventListener, useThrottleFn } from '@vueuse/core'
import { computed, ref, shallowRef, watch, type Ref } from 'vue'
import { foldText } from '../../../shared/format/text-folding.ts'
import type { MarkFilter } from '../../model/cards/card-marks.ts'
import { useTree } from '../../stores/tree.ts'
import { useTreeChanges } from '../../stores/tree-changes.ts'
import { useTreeDetails } from '../../stores/tree-details.ts'
import { defineStore } from '../../stores/define-store.ts'

/** The filter per study set, kept until the page is reloaded. */
const useTreeFilters = defineStore('tree-filters', () => {
  const texts = shallowRef<ReadonlyMap<string, string>>(new Map())
  const marks = shallowRef<ReadonlyMap<string, ReadonlySet<MarkFilter>>>(new Map())

  /** Returns the filter text of the study set that `topicid` names at the time. */
  function useFilterText(topicid: Ref<string>) {
    return computed({
      get: () => texts.value.get(topicid.value) ?? '',
      set: (text: string) => (texts.value = new Map([...texts.value, [topicid.value, text]])),
    })
  }

  /** Follows when `topicid` changes. */
  function useMarkFilters(topicid: Ref<string>) {
    return computed({
      get: () => marks.value.get(topicid.value) ?? NO_MARK_FILTERS,
      set: (filters: ReadonlySet<MarkFilter>) => (marks.value = new Map([...marks.value, [topicid.value, filters]])),
    })
  }

  return { useFilterText, useMarkFilters }
})

const NO_MARK_FILTERS: ReadonlySet<MarkFilter> = new Set()

/** How many cards had been read when the filter was applied. */
export interface SearchedCards {
  readonly readCount: number
  /** Cards whose hashtags and text could be searched. */
  readonly markedCount: number
}

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
  const details = useTreeDetails()
  const filterText = useTreeFilters().useFilterText(topicid)
  const markFilters = useTreeFilters().useMarkFilters(topicid)
  const changes = useTreeChanges()
  const changeChoice = changes.useChoice(topicid)
  const isOnlyChanged = computed(() => changeChoice.value.isOnlyChanged && changes.marks !== null)
  const searched = shallowRef<SearchedCards>({ readCount: 0, markedCount: 0 })
  const matches = shallowRef<Uint32Array | null>(null)
  /** Position among the matches, from 0; -1 before the first step. */
  const matchIndex = ref(-1)
  const highlight = computed(() => foldText(filterText.value.trim()))
  const isFiltering = computed(
    () => filterText.value.trim() !== '' || markFilters.value.size > 0 || isOnlyChanged.value,
  )

  /** True after the user has returned to a study set that has a filter, until it is reapplied. */
  let isReturning = filterText.value !== ''
  watch(topicid, () => (isReturning = filterText.value !== ''))

  /** With `keepsMatch`, the current match stays the current one among the new matches. */
  async function apply(keepsMatch: boolean): Promise<void> {
    const [searchedText, searchedMarks] = [filterText.value, markFilters.value]
    const node = keepsMatch ? matches.value?.[matchIndex.value] : undefined
    const foundNodes = await tree.search(searchedText, (titleMatches) => {
      searched.value = { readCount: details.readCount, markedCount: details.marks.size }
      const matches = details.refineMatches(titleMatches, highlight.value, searchedMarks)
      return isOnlyChanged.value ? changes.refineMatches(matches) : matches
    })
    if (searchedText !== filterText.value || searchedMarks !== markFilters.value) return
    if (foundNodes === null && isFiltering.value) return
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
  watch(markFilters, () => void apply(false))
  watch([isOnlyChanged, () => changes.marks], ([isOnly], [wasOnly]) => void ((isOnly || wasOnly) && apply(true)))
  // The store still holds the filter of the last visit.
  void apply(false)
  watch(
    () => [tree.status, tree.key],
    () => void (isFiltering.value && apply(true)),
  )
  watch(
    () => tree.loadedCount,
    () => void (isFiltering.value && reapply()),
  )
  // A text that finds more because rows were read would change the number of matches by itself.
  watch(
    () => details.readCount,
    () => void ((markFilters.value.size > 0 || details.isReadingAll) && isFiltering.value && reapply()),
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

  function clear(): void {
    filterText.value = ''
    markFilters.value = NO_MARK_FILTERS
    if (isOnlyChanged.value) changeChoice.value = { ...changeChoice.value, isOnlyChanged: false }
  }

  /** Selects a card and, if the filter hides it, clears the filter first. */
  function jumpClearingFilter(node: number): void {
    if (tree.filter && (tree.filter.marks[node] ?? 0) === 0) {
      clear()
      void tree.search('')
    }
    jump(node)
  }

  return {
    text: filterText,
    markFilters,
    matches,
    matchIndex,
    highlight,
    searched,
    stepMatch,
    clear,
    jumpClearingFilter,
  }
}
