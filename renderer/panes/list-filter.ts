import { computed, ref, type Ref } from 'vue'
import { foldText } from '../../shared/format/text-folding.ts'

/**
 * Rows match if any of their texts contains the input, ignoring case. `textsOf` may return values
 * of any type; only texts count. Pass `filter` if the input is stored elsewhere, for example in the
 * address.
 */
export function useListFilter<Row>(
  rows: () => readonly Row[],
  textsOf: (row: Row) => readonly unknown[],
  filter: Ref<string> = ref(''),
) {
  const needle = computed(() => foldText(filter.value.trim()))
  const isFiltered = computed(() => needle.value !== '')
  const containsNeedle = (text: unknown): boolean => typeof text === 'string' && foldText(text).includes(needle.value)
  const visibleRows = computed(() =>
    isFiltered.value ? rows().filter((row) => textsOf(row).some(containsNeedle)) : rows(),
  )
  return { filter, isFiltered, visibleRows }
}
