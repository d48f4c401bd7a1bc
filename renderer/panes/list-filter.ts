import { computed, ref, type ComputedRef, type Ref } from 'vue'
import { foldText } from '../../shared/format/text-folding.ts'

/** What stays of a list under a text. */
interface ListFilter<Row> {
  readonly filter: Ref<string>
  readonly isFiltered: ComputedRef<boolean>
  readonly visibleRows: ComputedRef<readonly Row[]>
}

/**
 * Keeps the rows with a text that contains the input, ignoring case. `textsOf` may return values of any type; only texts count. `filter` is
 * given where the input lives elsewhere, as in the address.
 */
export function useListFilter<Row>(
  rows: () => readonly Row[],
  textsOf: (row: Row) => readonly unknown[],
  filter: Ref<string> = ref(''),
): ListFilter<Row> {
  const needle = computed(() => foldText(filter.value.trim()))
  const filtered = computed(() => needle.value !== '')
  const holds = (text: unknown): boolean => typeof text === 'string' && foldText(text).includes(needle.value)
  const shown = computed(() => (filtered.value ? rows().filter((row) => textsOf(row).some(holds)) : rows()))
  return { filter, isFiltered: filtered, visibleRows: shown }
}
