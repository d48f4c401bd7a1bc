import { useEventListener, useThrottleFn } from '@vueuse/core'
import { computed, ref, shallowRef, watch, type Ref } from 'vue'
import { foldText } from '../../../shared/format/text-folding.ts'
import { useTree } from '../../stores/tree.ts'
import { defineStore } from 'pinia'

/**
 * The filter text of each study set's tree, as long as the page lives: what was typed for one set
 * says nothing about another.
 */
const useTreeFilters = defineStore('tree-filters', () => {
  const texts = shallowRef<ReadonlyMap<string, string>>(new Map())

  /** The text for the study set that is open now; follows when another one is opened. */
  function of(topicid: Ref<string>) {
    return computed({
      get: () => texts.value.get(topicid.value) ?? '',
      set: (text: string) => (texts.value = new Map([...texts.value, [topicid.value, text]])),
    })
  }

  return { of }
})

/** While cards arrive, the filter is reapplied at most this often. */
const FOLLOW_MS = 1_000

/**
 * The filter field of a study set: matches with their ancestors, and moving from one match to the
 * next. `reveal` is called once all cards are shown again, and once the filter of an earlier visit
 * applies again: both move the selected card away.
 */
export function useTreeFilterField(topicid: Ref<string>, jump: (node: number) => void, reveal: () => void) {
  const tree = useTree()
  const filterText = useTreeFilters().of(topicid)
  const matches = shallowRef<Uint32Array | null>(null)
  /** Position among the matches, from 0; -1 before the first step. */
  const matchIndex = ref(-1)
  const highlight = computed(() => foldText(filterText.value.trim()))

  /** Back in a study set that has a filter. */
  let returning = filterText.value !== ''
  watch(topicid, () => (returning = filterText.value !== ''))

  /** `stay`: keeps the current match among the new ones. */
  async function apply(stay: boolean): Promise<void> {
    const asked = filterText.value
    const node = stay ? matches.value?.[matchIndex.value] : undefined
    const found = await tree.search(asked)
    if (asked !== filterText.value || (found === null && asked.trim() !== '')) return
    const cleared = matches.value !== null && found === null
    matches.value = found
    matchIndex.value = node === undefined || !found ? -1 : found.indexOf(node)
    if (cleared || (found && returning)) reveal()
    // Until all cards are here, the filter may hide every row for a moment, and with them the
    // position.
    if (found && tree.status !== 'loading') returning = false
  }

  let searching = false
  /** One search at a time, and none has to wait: what is typed meanwhile is searched for next. */
  async function applyTyped(): Promise<void> {
    if (searching) return
    searching = true
    try {
      for (let asked = ''; filterText.value !== asked;) {
        asked = filterText.value
        await apply(false)
      }
    } finally {
      searching = false
    }
  }

  const follow = useThrottleFn(() => apply(true), FOLLOW_MS, true)
  watch(filterText, () => void (filterText.value === '' ? apply(false) : applyTyped()))
  // What the store still holds is the filter of the last visit.
  void apply(false)
  watch(
    () => [tree.status, tree.key],
    () => void (filterText.value !== '' && apply(true)),
  )
  watch(
    () => tree.loadedCount,
    () => void (filterText.value !== '' && follow()),
  )

  function stepMatch(by: 1 | -1): void {
    const found = matches.value
    if (!found || found.length === 0) return
    matchIndex.value =
      matchIndex.value < 0 ? (by > 0 ? 0 : found.length - 1) : (matchIndex.value + by + found.length) % found.length
    const node = found[matchIndex.value]
    if (node !== undefined) jump(node)
  }

  useEventListener(window, 'keydown', (event) => {
    if (event.key !== 'F3' || event.defaultPrevented) return
    event.preventDefault()
    stepMatch(event.shiftKey ? -1 : 1)
  })

  /** Jumping to a card hidden by the filter clears the filter. */
  function jumpClearingFilter(node: number): void {
    if (tree.filter && (tree.filter.marks[node] ?? 0) === 0) {
      filterText.value = ''
      void tree.search('')
    }
    jump(node)
  }

  return { text: filterText, matches, at: matchIndex, highlight, step: stepMatch, jumpAnywhere: jumpClearingFilter }
}
