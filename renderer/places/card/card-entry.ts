import { watch } from 'vue'
import { getElementText } from '../../../shared/json/list-elements.ts'

/** The selected part or band of a card, shown in the inspector. */
export interface CardEntry {
  readonly title: string
  /** The entry's exact JSON text. */
  readonly source: string
}

/** Finds an entry; null if there is none, or no `source`, which is the card's JSON text. */
export function findCardEntry(
  source: string | null,
  member: 'parts' | 'bands',
  index: number,
  title: string,
): CardEntry | null {
  const text = source === null ? null : getElementText(source, member, index)
  return text === null ? null : { title, source: text }
}

/** Calls `onSelect` at once and whenever the entry changes. */
export function watchSelectedEntry(entry: () => CardEntry | null, onSelect: (entry: CardEntry | null) => void): void {
  watch(entry, (value) => onSelect(value), { immediate: true })
}
