import { useDebounceFn } from '@vueuse/core'
import { computed, ref, shallowRef, watch } from 'vue'
import { useTree } from '../../stores/tree.ts'

/** Typing waits this long before it filters: short enough to feel at once. */
const PAUSE_MS = 40

/** The filter field: matches with what is above them, and the way from one match to the next. */
export function useFiltering(jump: (node: number) => void) {
  const tree = useTree()
  const text = ref('')
  const matches = shallowRef<Uint32Array | null>(null)
  /** Position among the matches, from 0; -1 before the first step. */
  const at = ref(-1)
  const highlight = computed(() => text.value.trim().toLowerCase())

  async function apply(): Promise<void> {
    const asked = text.value
    const found = await tree.search(asked)
    if (asked !== text.value) return
    matches.value = found
    at.value = -1
  }

  const applySoon = useDebounceFn(apply, PAUSE_MS)
  watch(text, () => void (text.value === '' ? apply() : applySoon()))
  // More cards have come: the filter covers them too.
  watch(
    () => [tree.status, tree.key],
    () => void (text.value !== '' && apply()),
  )

  function step(by: 1 | -1): void {
    const found = matches.value
    if (!found || found.length === 0) return
    at.value = at.value < 0 ? (by > 0 ? 0 : found.length - 1) : (at.value + by + found.length) % found.length
    const node = found[at.value]
    if (node !== undefined) jump(node)
  }

  return { text, matches, at, highlight, step }
}
