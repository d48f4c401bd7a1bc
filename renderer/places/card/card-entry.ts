import { watch } from 'vue'
import { getElementText } from '../../../shared/json/list-elements.ts'

/** The selected part or band of a card, shown in the inspector. */
export interface CardEntry {
  readonly title: string
  /** The entry's exact JSON text. */
  readonly source: string
}

/** Finds the entry at an index of a card's member; null if its JSON text is not available. */
export function findCardEntry(
  source: string | null,
  member: 'parts' | 'bands',
  index: number,
  title: string,
): CardEntry | null {
  const text = source === null ? null : getElementText(source, member, index)
  return text === null ? null : { title, source: text }
}

/** Reports the entry selected in a tab, and null once the tab is left. */
export function useSelectedEntry(entry: () => CardEntry | null, onSelect: (entry: CardEntry | null) => void): void {
  watch(entry, (value) => onSelect(value), { immediate: true })
}
