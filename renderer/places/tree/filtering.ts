import { useDebounceFn, useThrottleFn } from '@vueuse/core'
import { computed, ref, shallowRef, watch } from 'vue'
import { folded } from '../../../shared/format/fold.ts'
import { useTree } from '../../stores/tree.ts'

/** Delay before typing filters: short enough to feel instant. */
const PAUSE_MS = 40
/** While cards arrive, the filter is reapplied at most this often. */
const FOLLOW_MS = 1_000

/** The filter field: matches with their ancestors, and moving from one match to the next. */
export function useFiltering(jump: (node: number) => void) {
  const tree = useTree()
  const text = ref('')
  const matches = shallowRef<Uint32Array | null>(null)
  /** Position among the matches, from 0; -1 before the first step. */
  const at = ref(-1)
  const highlight = computed(() => folded(text.value.trim()))

  /** `stay`: keeps the current match among the new ones. */
  async function apply(stay: boolean): Promise<void> {
    const asked = text.value
    const node = stay ? matches.value?.[at.value] : undefined
    const found = await tree.search(asked)
    if (asked !== text.value || (found === null && asked.trim() !== '')) return
    matches.value = found
    at.value = node === undefined || !found ? -1 : found.indexOf(node)
  }

  const applySoon = useDebounceFn(() => apply(false), PAUSE_MS)
  const follow = useThrottleFn(() => apply(true), FOLLOW_MS, true)
  watch(text, () => void (text.value === '' ? apply(false) : applySoon()))
  watch(
    () => [tree.status, tree.key],
    () => void (text.value !== '' && apply(true)),
  )
  watch(
    () => tree.loaded,
    () => void (text.value !== '' && follow()),
  )

  function step(by: 1 | -1): void {
    const found = matches.value
    if (!found || found.length === 0) return
    at.value = at.value < 0 ? (by > 0 ? 0 : found.length - 1) : (at.value + by + found.length) % found.length
    const node = found[at.value]
    if (node !== undefined) jump(node)
  }

  /** Jumping to a card hidden by the filter clears the filter. */
  function jumpAnywhere(node: number): void {
    if (tree.filter && (tree.filter.marks[node] ?? 0) === 0) {
      text.value = ''
      void tree.search('')
    }
    jump(node)
  }

  return { text, matches, at, highlight, step, jumpAnywhere }
}
